import { Stack } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { profileQuery } from '../api/session.ts';
import { DownloadButton } from '../parts/download-button.tsx';
import { Page } from '../parts/page.tsx';
import { DeleteAccount } from './delete-account.tsx';
import { Section } from './section.tsx';

/** Takes the account's data out, and deletes the account. */
export function DataPage() {
  const { t } = useTranslation();
  const { data: account } = useQuery(profileQuery);
  return (
    <Page title={t('settings.data')}>
      <Stack gap="lg">
        <Section
          title={t('account_data.export')}
          body={t('account_data.export_body')}
          actions={
            <DownloadButton
              href="/api/user/export"
              leftSection={<IconDownload size={16} aria-hidden />}
            >
              {t('account_data.export_action')}
            </DownloadButton>
          }
        />
        {account !== undefined && <DeleteAccount account={account} />}
      </Stack>
    </Page>
  );
}
