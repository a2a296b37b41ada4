import { Button, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { FactorState } from '../../accounts/second-factor/schema.ts';
import { ErrorAlert } from '../parts/error-alert.tsx';
import { Section } from './section.tsx';
import { createRecoveryCodes } from './sign-in-methods.ts';

/** Codes for a lost second factor; there are none without one. */
export function RecoveryCodes({
  factors,
  onCreated,
}: {
  factors: FactorState;
  onCreated(codes: readonly string[]): Promise<void>;
}) {
  const { t } = useTranslation();
  const create = useMutation({
    mutationFn: async () => onCreated((await createRecoveryCodes()).recovery_codes),
  });
  if (!factors.totp && factors.passkeys.length === 0) return null;
  const count = factors.recovery_codes_left;
  return (
    <Section
      title={t('security.codes')}
      body={t('security.codes_hint')}
      actions={
        <Button variant="default" loading={create.isPending} onClick={() => create.mutate()}>
          {t('security.codes_new')}
        </Button>
      }
    >
      <Text size="sm" fw={count === 0 ? 600 : undefined}>
        {t('security.codes_left', { count })}
      </Text>
      {create.isError && <ErrorAlert error={create.error} />}
    </Section>
  );
}
