import { Alert } from '@mantine/core';
import { useNetwork } from '@mantine/hooks';
import { IconWifiOff } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

/** Says that the browser has no connection. */
export function OfflineBanner() {
  const { t } = useTranslation();
  const { online } = useNetwork();
  if (online) return null;
  return (
    <Alert className="page" role="alert" color="yellow" icon={<IconWifiOff aria-hidden />} mb="md">
      {t('frame.offline')}
    </Alert>
  );
}
