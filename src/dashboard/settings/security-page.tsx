import { Stack } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ErrorAlert } from '../parts/error-alert.tsx';
import { Page } from '../parts/page.tsx';
import { SecretDialog } from '../parts/secret-dialog.tsx';
import { AuthenticatorApp } from './authenticator-app.tsx';
import { LinkedAccounts } from './linked-accounts.tsx';
import { Passkeys } from './passkeys.tsx';
import { Password } from './password.tsx';
import { RecoveryCodes } from './recovery-codes.tsx';
import { factorsQuery } from './sign-in-methods.ts';
import type { FirstCodes } from './sign-in-methods.ts';
import { Loading } from '../parts/loading.tsx';

/** Everything that signs in to the account. */
export function SecurityPage() {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const factors = useQuery(factorsQuery);
  const [codes, setCodes] = useState<FirstCodes>(null);
  async function onAdded(shown: FirstCodes) {
    setCodes(shown);
    await queries.invalidateQueries();
  }
  return (
    <Page title={t('settings.security')}>
      <Stack gap="lg">
        <Password />
        <Passkeys onAdded={onAdded} />
        {factors.isError && (
          <ErrorAlert error={factors.error} onRetry={() => void factors.refetch()} />
        )}
        {factors.isPending && <Loading height={120} />}
        {factors.data !== undefined && (
          <>
            <AuthenticatorApp isOn={factors.data.totp} onAdded={onAdded} />
            <RecoveryCodes factors={factors.data} onCreated={onAdded} />
          </>
        )}
        <LinkedAccounts />
      </Stack>
      {codes !== null && (
        <SecretDialog
          title={t('security.codes_title')}
          body={t('security.codes_body')}
          label={t('security.codes')}
          secret={codes.join('\n')}
          action={t('form.done')}
          onDone={() => setCodes(null)}
        />
      )}
    </Page>
  );
}
