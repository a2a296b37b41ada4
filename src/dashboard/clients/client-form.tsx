import { Button, Checkbox, Group, Radio, SimpleGrid, Stack, Text } from '@mantine/core';
import { Textarea, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import type { FormEventHandler, ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { capabilities, personalPermissions, scopeOfCapability } from '../../authz/permissions.ts';
import type { ClientValues } from './client-values.ts';
import { ErrorAlert } from '../parts/error-alert.tsx';
import { PermissionMatrix } from '../parts/permission-matrix.tsx';

type ClientFormState = UseFormReturnType<ClientValues>;

/** The form of a new or saved OAuth client. */
export function ClientForm({
  form,
  onSubmit,
  error,
  isPending,
  action,
  isNew,
  status,
}: {
  form: ClientFormState;
  onSubmit: FormEventHandler<HTMLFormElement>;
  error: unknown;
  isPending: boolean;
  action: string;
  isNew: boolean;
  status?: ReactNode;
}) {
  const { t } = useTranslation();
  return (
    <form onSubmit={onSubmit}>
      <Stack maw={640} gap="lg">
        {error !== null && <ErrorAlert error={error} />}
        <TextInput
          label={t('form.name')}
          description={t('client.name_hint')}
          required
          maxLength={100}
          {...form.getInputProps('name')}
        />
        {isNew && (
          <Radio.Group label={t('client.type')} {...form.getInputProps('type')}>
            <Stack gap="xs" mt="xs">
              {(['public', 'confidential'] as const).map((type) => (
                <Radio
                  key={type}
                  value={type}
                  label={t(`client.${type}`)}
                  description={t(`client.${type}_hint`)}
                />
              ))}
            </Stack>
          </Radio.Group>
        )}
        <Textarea
          label={t('client.redirect_uris')}
          description={t('client.redirect_uris_hint')}
          required
          autosize
          minRows={2}
          dir="ltr"
          spellCheck={false}
          {...form.getInputProps('redirect_uris')}
        />
        <Scopes form={form} />
        <Checkbox
          label={t('client.refreshes')}
          description={t('client.refreshes_hint')}
          {...form.getInputProps('refreshes', { type: 'checkbox' })}
        />
        {form.values.type === 'confidential' && (
          <Checkbox
            label={t('client.require_pkce')}
            description={t('client.require_pkce_hint')}
            {...form.getInputProps('require_pkce', { type: 'checkbox' })}
          />
        )}
        {status}
        <Group className="save-bar">
          <Button type="submit" loading={isPending}>
            {action}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** The most that a connection can have: use over MCP, and apart from it managing the account. */
function Scopes({ form }: { form: ClientFormState }) {
  const { t } = useTranslation();
  const { allowed_scopes: scopes } = form.values;
  const choose = (allowed_scopes: string[]) => form.setFieldValue('allowed_scopes', allowed_scopes);
  const error = form.errors['allowed_scopes'];
  return (
    <Stack gap="sm">
      <Checkbox.Group
        label={t('client.use')}
        description={t('client.use_hint')}
        value={scopes}
        onChange={choose}
        error={error}
        data-path="allowed_scopes"
        tabIndex={-1}
      >
        <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="xs" mt="xs">
          {capabilities.map((capability) => (
            <Checkbox
              key={capability}
              value={scopeOfCapability(capability)}
              label={t(`capability.${capability}`)}
              description={t(`capability.${capability}_hint`)}
            />
          ))}
        </SimpleGrid>
      </Checkbox.Group>
      <div>
        <Text size="sm" fw={600}>
          {t('client.manage')}
        </Text>
        <Text size="xs" c="dimmed" mb="xs">
          {t('client.manage_hint')}
        </Text>
        <div className="card">
          <PermissionMatrix
            table={personalPermissions}
            nameOf={({ scope }) => scope}
            selected={scopes}
            onChange={choose}
            label={t('client.manage')}
          />
        </div>
      </div>
    </Stack>
  );
}
