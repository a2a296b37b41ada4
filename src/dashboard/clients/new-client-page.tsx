import { Select } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ClientForm } from './client-form.tsx';
import { clientDraftOf, emptyClient, valuesOfClient } from './client-values.ts';
import type { ClientValues } from './client-values.ts';
import { clientPath, clientPresetsQuery, clientQuery, createClient } from './clients.ts';
import type { ClientPreset } from './clients.ts';
import { NeedsPermission, Problem } from '../organizations/parts/problem.tsx';
import { useOwner } from '../organizations/use-owner.ts';
import { Page } from '../parts/page.tsx';
import { SecretDialog } from '../parts/secret-dialog.tsx';
import { useIdempotencyKey } from '../parts/use-idempotency-key.ts';
import { useServerForm } from '../parts/use-server-form.ts';
import { Loading } from '../parts/loading.tsx';

/** Registers an OAuth client; `?preset=` fills in a known application, `?from=` another client. */
export function NewClientPage() {
  const { t } = useTranslation();
  const owner = useOwner();
  const { from, preset: presetId } = useSearch({ strict: false });
  const navigate = useNavigate();
  const presets = useQuery(clientPresetsQuery);
  const original = useQuery({
    ...clientQuery(clientPath(owner, `/${from}`)),
    enabled: from !== undefined,
  });
  const failed = [presets, original].find(({ isError }) => isError);
  const preset = presets.data?.data.find(({ id }) => id === presetId);
  const initialValues =
    original.data === undefined
      ? fromPreset(preset)
      : {
          ...valuesOfClient(original.data, owner.organization === null),
          name: t('new_key.copy_of', { name: original.data.name }).slice(0, 100),
        };
  const isPending = presets.isPending || (from !== undefined && original.isPending);
  const lacking = owner.lacks('create', 'oauth_clients');
  if (lacking !== null)
    return (
      <Page title={t('client.new')}>
        <NeedsPermission permission={lacking} />
      </Page>
    );
  return (
    <Page
      title={t('client.new')}
      parents={[{ to: `${owner.pages}/clients`, label: t('client.title') }]}
    >
      {failed && <Problem error={failed.error} onRetry={() => void failed.refetch()} />}
      {isPending && <Loading height={320} />}
      {!isPending && !failed && (
        <>
          <Select
            label={t('client.preset')}
            description={t('client.preset_hint')}
            placeholder={t('client.preset_none')}
            data={presets.data?.data.map(({ id, title }) => ({ value: id, label: title })) ?? []}
            value={preset?.id ?? null}
            searchable
            maw={420}
            mb="lg"
            onChange={(chosen) =>
              void navigate({
                to: '.',
                search: () => (chosen === null ? {} : { preset: chosen }),
              })
            }
          />
          <NewClient
            key={`${presetId} ${from}`}
            initialValues={initialValues}
            preset={preset?.id}
          />
        </>
      )}
    </Page>
  );
}

const fromPreset = (preset: ClientPreset | undefined): ClientValues =>
  preset === undefined
    ? emptyClient()
    : {
        ...emptyClient(),
        name: preset.title,
        redirect_uris: preset.redirect_uris.join('\n'),
      };

function NewClient({
  initialValues,
  preset,
}: {
  initialValues: ClientValues;
  preset: string | undefined;
}) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const idempotencyKey = useIdempotencyKey();
  const [created, setCreated] = useState<{ id: string; secret: string } | null>(null);
  const owner = useOwner();
  const pageOf = (clientId: string): string => `${owner.pages}/clients/${clientId}`;
  const open = (clientId: string) =>
    void navigate({
      to: pageOf(clientId),
      search: preset === undefined ? {} : { preset },
    });
  const { form, submit, isPending, error } = useServerForm({
    initialValues,
    send(values) {
      const draft = clientDraftOf(values);
      return createClient(clientPath(owner), draft, idempotencyKey(draft));
    },
    async onSuccess({ id, name, client_secret: secret }) {
      notifications.show({ message: t('client.created', { name }) });
      if (secret === null) open(id);
      else setCreated({ id, secret });
      await queries.invalidateQueries();
    },
  });
  return (
    <>
      <ClientForm
        form={form}
        onSubmit={submit}
        error={error}
        isPending={isPending}
        action={t('client.create')}
        isNew
      />
      {created !== null && (
        <SecretDialog
          title={t('client.secret_title')}
          body={t('client.secret_body')}
          label={t('client.secret_label')}
          secret={created.secret}
          action={t('client.continue')}
          onDone={() => open(created.id)}
        />
      )}
    </>
  );
}
