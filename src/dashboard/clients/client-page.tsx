import { Alert, Anchor, Button, Code, Group, Stack, Title } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ClientRecord } from '../../oauth/clients/schema.ts';
import { Availability } from './availability.tsx';
import { ClientForm } from './client-form.tsx';
import { ClientSecrets } from './client-secrets.tsx';
import { ClientSteps } from './client-steps.tsx';
import { clientEditOf, valuesOfClient } from './client-values.ts';
import { clientQuery, updateClient } from './clients.ts';
import { DeleteClient } from './delete-client.tsx';
import { CopyButton } from '../parts/copy-button.tsx';
import { ErrorAlert } from '../parts/error-alert.tsx';
import { LeaveGuard } from '../parts/leave-guard.tsx';
import { Moment } from '../parts/moment.tsx';
import { Page } from '../parts/page.tsx';
import { useServerForm } from '../parts/use-server-form.ts';
import { LoadingPage } from '../parts/loading.tsx';

const route = getRouteApi('/app/clients/$clientId');

/** One OAuth client: its id, how an application uses it, its secrets, and changing it. */
export function ClientPage() {
  const { t } = useTranslation();
  const { clientId } = route.useParams();
  const { preset } = route.useSearch();
  const navigate = useNavigate();
  const client = useQuery(clientQuery(clientId));
  if (client.isError)
    return (
      <Page title={t('client.title')}>
        <ErrorAlert error={client.error} onRetry={() => void client.refetch()} />
      </Page>
    );
  if (client.data === undefined) return <LoadingPage />;
  const { data } = client;
  return (
    <Page
      title={data.name}
      actions={
        <Group gap="xs">
          <Button
            variant="default"
            renderRoot={(props) => (
              <Link to="/app/clients/new" search={{ from: clientId }} {...props} />
            )}
          >
            {t('key.duplicate')}
          </Button>
          <DeleteClient client={data} />
        </Group>
      }
    >
      <Stack gap="xl">
        <Availability client={data} />
        <Facts client={data} />
        <ClientSteps
          clientId={data.id}
          preset={preset}
          onPreset={(chosen) =>
            void navigate({
              to: '/app/clients/$clientId',
              params: { clientId },
              search: { preset: chosen },
            })
          }
        />
        {data.type === 'confidential' && <ClientSecrets client={data} />}
        <section aria-labelledby="registration">
          <Title order={2} id="registration" mb="sm">
            {t('client.registration')}
          </Title>
          <EditClient key={data.id} client={data} />
        </section>
      </Stack>
    </Page>
  );
}

function Facts({ client }: { client: ClientRecord }) {
  const { t } = useTranslation();
  return (
    <dl className="card facts">
      <div>
        <dt>{t('client.id')}</dt>
        <dd>
          <Group gap="xs">
            <Code>{client.id}</Code>
            <CopyButton text={client.id} />
          </Group>
        </dd>
      </div>
      <div>
        <dt>{t('client.type')}</dt>
        <dd>{t(`client.${client.type}`)}</dd>
      </div>
      <div>
        <dt>{t('client.connections')}</dt>
        <dd>
          <Anchor renderRoot={(props) => <Link to="/app/connections" {...props} />}>
            {client.connections}
          </Anchor>
        </dd>
      </div>
      <div>
        <dt>{t('key.created')}</dt>
        <dd>
          <Moment at={client.created_at} />
        </dd>
      </div>
    </dl>
  );
}

function EditClient({ client }: { client: ClientRecord }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const [status, setStatus] = useState<string | null>(null);
  const { form, submit, isPending, error } = useServerForm({
    initialValues: valuesOfClient(client),
    async send(values) {
      const edit = clientEditOf(client, values);
      return Object.keys(edit).length === 0 ? null : updateClient(client.id, edit);
    },
    async onSuccess(saved) {
      setStatus(t(saved === null ? 'key_form.unchanged' : 'client.saved'));
      if (saved === null) return;
      // The views that a scope implies were added.
      form.setValues(valuesOfClient(saved));
      await queries.invalidateQueries();
    },
    onError: () => setStatus(null),
  });
  return (
    <>
      <LeaveGuard isDirty={() => Object.keys(clientEditOf(client, form.getValues())).length > 0} />
      <ClientForm
        form={form}
        onSubmit={submit}
        error={error}
        isPending={isPending}
        action={t('key_form.save')}
        isNew={false}
        status={
          <div role="status">{status !== null && <Alert variant="light">{status}</Alert>}</div>
        }
      />
    </>
  );
}
