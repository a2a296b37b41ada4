import '@mantine/notifications/styles.css';
import { Notifications as Library } from '@mantine/notifications';

/** Short confirmations at the lower edge of any page. */
export function Notifications() {
  return <Library position="bottom-right" />;
}
