import { IconDownload } from '@tabler/icons-react';
import { getRouteApi } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { auditFile } from '../audit/audit.ts';
import { AuditLog } from '../audit/audit-log.tsx';
import { DownloadButton } from '../parts/download-button.tsx';
import { Page } from '../parts/page.tsx';

const route = getRouteApi('/app/settings/audit');
const PATH = '/api/me/audit';

/** What was done to the account and with its credentials. */
export function AuditPage() {
  const { t } = useTranslation();
  return (
    <Page
      title={t('settings.audit')}
      actions={
        <DownloadButton
          href={auditFile(PATH, route.useSearch())}
          leftSection={<IconDownload size={16} aria-hidden />}
        >
          {t('audit.download')}
        </DownloadButton>
      }
    >
      <AuditLog path={PATH} />
    </Page>
  );
}
