import '@mantine/notifications/styles.css';
import { Notifications as Library } from '@mantine/notifications';

/** Short confirmations at the lower edge of any page. */
export default function Notifications() {
  return <Library position="bottom-right" />;
}
