import { Button, Group, PasswordInput, Stack, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { notifications } from '@mantine/notifications';
import { useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { UpstreamRecord } from '../../../content/upstreams/schema.ts';
import { FieldList } from '../field-list.tsx';
import { useSpace } from '../space.ts';
import { ErrorAlert } from '../../parts/error-alert.tsx';
import { AddRow, RemoveRow } from '../../parts/row-buttons.tsx';
import { useIdempotencyKey } from '../../parts/use-idempotency-key.ts';
import { useServerForm } from '../../parts/use-server-form.ts';
import { OAuthFields, oauthOf, oauthValuesOf } from './oauth-fields.tsx';
import type { OAuthValues } from './oauth-fields.tsx';
import { changeUpstream, createUpstream, upstreamQuery } from './tools.ts';

interface Header {
  name: string;
  value: string;
  is_stored: boolean;
  is_removed: boolean;
}

interface Values extends OAuthValues, Record<string, unknown> {
  name: string;
  url: string;
  headers: Header[];
}

const valuesOf = (server: UpstreamRecord | null): Values => ({
  name: server?.name ?? '',
  url: server?.url ?? '',
  headers: (server?.header_names ?? []).map((name) => ({
    name,
    value: '',
    is_stored: true,
    is_removed: false,
  })),
  ...oauthValuesOf(server?.oauth ?? null),
});

/** Stored headers without a new value are left out: they stay as they are. */
const headersOf = (headers: readonly Header[]): Record<string, string | null> =>
  Object.fromEntries(
    headers
      .filter(({ value, is_stored, is_removed }) => is_removed || value !== '' || !is_stored)
      .filter(({ name, value }) => name !== '' || value !== '')
      .map(({ name, value, is_removed }) => [name, is_removed ? null : value]),
  );

const OAUTH_FIELDS = ['scopes', 'client_id', 'client_secret'] as const;

function fieldOf([first, name]: readonly string[], { headers }: Values): string | null {
  if (first === 'oauth') return OAUTH_FIELDS.find((field) => field === name) ?? null;
  if (first !== 'headers') return first === 'name' || first === 'url' ? first : null;
  const index = headers.findIndex((one) => one.name.toLowerCase() === name?.toLowerCase());
  return index === -1 ? 'headers' : `headers.${index}.value`;
}

/** The form that adds or changes an MCP server; the values of its headers are only written. */
export function UpstreamForm({
  server,
  onSaved,
}: {
  server: UpstreamRecord | null;
  onSaved(server: UpstreamRecord): void;
}) {
  const { t } = useTranslation();
  const space = useSpace();
  const queries = useQueryClient();
  const idempotencyKey = useIdempotencyKey();
  const { form, submit, isPending, error } = useServerForm<Values, UpstreamRecord>({
    initialValues: valuesOf(server),
    fieldOf,
    send({ name, url, headers, ...values }) {
      const oauth = oauthOf(values, server?.oauth ?? null);
      const body = { name, url, headers: headersOf(headers), oauth };
      return server === null
        ? createUpstream(space, body, idempotencyKey(body))
        : changeUpstream(space, server.id, body);
    },
    async onSuccess(saved) {
      form.setInitialValues(valuesOf(saved));
      form.reset();
      notifications.show({ message: t('content.tools.server_saved', { name: saved.name }) });
      queries.setQueryData(upstreamQuery(space, saved.id).queryKey, saved);
      onSaved(saved);
      await queries.invalidateQueries({ queryKey: ['content'] });
    },
  });
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="lg">
        {error !== null && <ErrorAlert error={error} />}
        <TextInput
          label={t('content_field.name')}
          description={t('content.tools.server_name_hint')}
          required
          dir="ltr"
          autoComplete="off"
          {...form.getInputProps('name')}
        />
        <TextInput
          label={t('content.tools.server_url')}
          placeholder="https://mcp.example.com/mcp"
          required
          dir="ltr"
          autoComplete="off"
          {...form.getInputProps('url')}
        />
        <OAuthFields form={form} stored={server?.oauth ?? null} />
        <Headers form={form} />
        <Button type="submit" loading={isPending} className="add-row">
          {server === null ? t('content.tools.add_server') : t('form.save')}
        </Button>
      </Stack>
    </form>
  );
}

function Headers({ form }: { form: UseFormReturnType<Values> }) {
  const { t } = useTranslation();
  return (
    <FieldList
      title={t('content_field.headers')}
      hint={t('content.tools.server_headers_hint')}
      error={form.errors['headers']}
    >
      {form.values.headers.map(({ name, is_stored, is_removed }, index) =>
        is_removed ? null : (
          <Group key={index} gap="xs" align="start">
            <TextInput
              aria-label={t('content.tools.header_name', { number: index + 1 })}
              placeholder="authorization"
              dir="ltr"
              flex="1 1 5rem"
              readOnly={is_stored}
              {...form.getInputProps(`headers.${index}.name`)}
            />
            <PasswordInput
              aria-label={t('content.tools.header_value', { name: name || index + 1 })}
              placeholder={is_stored ? t('content.tools.header_stored') : t('content.tools.value')}
              autoComplete="new-password"
              dir="ltr"
              flex="2 1 6rem"
              {...form.getInputProps(`headers.${index}.value`)}
            />
            <RemoveRow
              label={t('content.tools.remove_header', { name: name || index + 1 })}
              onClick={() =>
                is_stored
                  ? form.setFieldValue(`headers.${index}.is_removed`, true)
                  : form.removeListItem('headers', index)
              }
            />
          </Group>
        ),
      )}
      <AddRow
        onClick={() =>
          form.insertListItem('headers', {
            name: '',
            value: '',
            is_stored: false,
            is_removed: false,
          })
        }
      >
        {t('content.tools.add_headers')}
      </AddRow>
    </FieldList>
  );
}
