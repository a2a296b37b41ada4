import { Button, FileButton, Stack, Text, Textarea } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { UpstreamsImported } from '../../../content/upstream-documents/schema.ts';
import { jsonOf } from '../json-text.ts';
import { addressOf, useSpace } from '../space.ts';
import { ErrorAlert } from '../../parts/error-alert.tsx';
import { Page } from '../../parts/page.tsx';
import { useServerForm } from '../../parts/use-server-form.ts';
import { listOf } from '../../texts/texts.ts';
import { importServers } from './whole-servers.ts';

/** Adds the MCP servers of a registry's or a client's file. */
export function ImportServersPage() {
  const { t } = useTranslation();
  const space = useSpace();
  const queries = useQueryClient();
  const [imported, setImported] = useState<UpstreamsImported | null>(null);
  const { form, submit, isPending, error } = useServerForm({
    initialValues: { document: '' },
    async send({ document }) {
      setImported(null);
      const json = jsonOf(document, '/document', t('content.not_json'));
      return importServers(space, json as Record<string, unknown>);
    },
    async onSuccess(result) {
      setImported(result);
      await queries.invalidateQueries({ queryKey: ['content'] });
    },
  });
  const label = t('content.tools.choose_file');
  return (
    <Page
      title={t('content.tools.import_servers_title')}
      parents={[
        { to: addressOf(space, 'tools'), label: t('content.tools.title') },
        { to: addressOf(space, 'tools', 'upstreams'), label: t('content.tools.servers') },
      ]}
      about={t('content.tools.import_servers_intro')}
    >
      <Stack gap="lg">
        <form onSubmit={submit} noValidate>
          <Stack gap="md">
            {error !== null && <ErrorAlert error={error} />}
            <FileButton
              accept="application/json,.json"
              onChange={(file) =>
                void file?.text().then((text) => form.setFieldValue('document', text))
              }
              inputProps={{ 'aria-label': label }}
            >
              {(props) => (
                <Button {...props} variant="default" className="add-row">
                  {label}
                </Button>
              )}
            </FileButton>
            <Textarea
              label={t('content.tools.document')}
              description={t('content.tools.servers_document_hint')}
              autosize
              minRows={8}
              maxRows={24}
              dir="ltr"
              spellCheck={false}
              classNames={{ input: 'mono' }}
              {...form.getInputProps('document')}
            />
            <Button type="submit" loading={isPending} className="add-row">
              {t('content.tools.import_action')}
            </Button>
          </Stack>
        </form>
        {imported !== null && <Report imported={imported} />}
      </Stack>
    </Page>
  );
}

function Report({ imported: { upstreams, missing, skipped } }: { imported: UpstreamsImported }) {
  const { t } = useTranslation();
  const space = useSpace();
  const headersOf = (id: string) =>
    missing.find((one) => one.id === id)?.headers.map(({ name }) => name) ?? [];
  return (
    <Stack gap="sm">
      <Text role="status" fw={600}>
        {t('content.tools.servers_imported', { added: upstreams.length, skipped: skipped.length })}
      </Text>
      {upstreams.length + skipped.length > 0 && (
        <ul className="card list steps">
          {upstreams.map(({ id, name }) => (
            <li key={id} className="list-row">
              <Link to={addressOf(space, 'tools', `upstreams/${id}`)} className="text-link">
                <bdi>{name}</bdi>
              </Link>
              {headersOf(id).length > 0 && (
                <Text size="sm">
                  {t('content.tools.missing_headers', { names: listOf(headersOf(id)) })}
                </Text>
              )}
            </li>
          ))}
          {skipped.map(({ name, message }, index) => (
            <li key={`${name} ${index}`} className="list-row">
              <Text c="dimmed">
                <bdi>{name}</bdi>
              </Text>
              <Text size="sm">{message}</Text>
            </li>
          ))}
        </ul>
      )}
    </Stack>
  );
}
