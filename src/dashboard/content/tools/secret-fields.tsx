import { PasswordInput, Text } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useTranslation } from 'react-i18next';
import { Section } from '../section.tsx';
import { usedSecrets } from './tool.ts';
import type { Tool, ToolValues } from './tool.ts';

/** Sets the secrets that the request uses; those that are stored are not shown. */
export function SecretFields({
  form,
  item,
}: {
  form: UseFormReturnType<ToolValues>;
  item: Tool | null;
}) {
  const { t } = useTranslation();
  const names = usedSecrets(form.values);
  const stored = item?.kind === 'http' ? item.secrets : [];
  return (
    <Section title={t('content_field.secrets')} intro={t('content.tools.secrets_hint')}>
      {names.length === 0 && (
        <Text size="sm" c="dimmed">
          {t('content.tools.no_secrets', { example: '{{secret.TOKEN}}' })}
        </Text>
      )}
      {names.map((name) => {
        const isStored = stored.includes(name);
        const field = `secrets.${name}`;
        return (
          <PasswordInput
            key={name}
            label={<bdi>{name}</bdi>}
            description={
              isStored ? t('content.tools.secret_stored') : t('content.tools.secret_missing')
            }
            placeholder={isStored ? '••••••••' : ''}
            autoComplete="new-password"
            dir="ltr"
            maw={480}
            data-path={field}
            value={form.values.secrets[name] ?? ''}
            error={form.errors[field]}
            onChange={({ currentTarget: { value } }) => {
              form.clearFieldError(field);
              form.setFieldValue('secrets', { ...form.values.secrets, [name]: value });
            }}
          />
        );
      })}
    </Section>
  );
}
