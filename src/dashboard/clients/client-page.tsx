import { Alert, Anchor, Badge, Button, Code, Group, Stack, Title } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ClientRecord } from '../../oauth/clients/schema.ts';
import { ClientForm } from './client-form.tsx';
import { ClientSecrets } from './client-secrets.tsx';
import { ClientSteps } from './client-steps.tsx';
import classes from './clients.module.css';
import { clientEditOf, valuesOfClient } from './client-values.ts';
import { clientPath, clientQuery, updateClient } from './clients.ts';
import { DeleteClient } from './delete-client.tsx';
import { SwitchClient } from './switch-client.tsx';
import { NeedsPermission, Problem } from '../organizations/parts/problem.tsx';
import { useOwner } from '../organizations/use-owner.ts';
import { CopyButton } from '../parts/copy-button.tsx';
import { LeaveGuard } from '../parts/leave-guard.tsx';
import { Moment } from '../parts/moment.tsx';
import { Page } from '../parts/page.tsx';
import { useServerForm } from '../parts/use-server-form.ts';
import { LoadingPage } from '../parts/loading.tsx';

/** One OAuth client: its id, how an application uses it, its secrets, and changing it. */
export function ClientPage() {
  const { t } = useTranslation();
  const owner = useOwner();
  const { clientId = '' } = useParams({ strict: false });
  const { preset } = useSearch({ strict: false });
  const navigate = useNavigate();
  const client = useQuery(clientQuery(clientPath(owner, `/${clientId}`)));
  if (client.isError && client.data === undefined)
    return (
      <Page title={t('client.title')}>
        <Problem error={client.error} onRetry={() => void client.refetch()} />
      </Page>
    );
  if (client.data === undefined) return <LoadingPage />;
  const { data } = client;
  return (
    <Page
      title={data.name}
      parents={[{ to: `${owner.pages}/clients`, label: t('client.title') }]}
      badge={
        <Badge variant="light" tt="none" color={data.disabled ? 'red' : 'teal'}>
          {t(data.disabled ? 'client.disabled' : 'client.enabled')}
        </Badge>
      }
      actions={
        <>
          {owner.lacks('update', 'oauth_clients') === null && <SwitchClient client={data} />}
          {owner.lacks('create', 'oauth_clients') === null && (
            <Button
              variant="default"
              renderRoot={(props) => (
                <Link to={`${owner.pages}/clients/new`} search={{ from: clientId }} {...props} />
              )}
            >
              {t('key.duplicate')}
            </Button>
          )}
          {owner.lacks('delete', 'oauth_clients') === null && <DeleteClient client={data} />}
        </>
      }
    >
      <Stack gap="xl">
        <Facts client={data} />
        <ClientSteps
          clientId={data.id}
          preset={preset}
          onPreset={(chosen) => void navigate({ to: '.', search: () => ({ preset: chosen }) })}
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
  const { organization, pages } = useOwner();
  return (
    <dl className="card facts">
      <div className="wide">
        <dt>{t('client.id')}</dt>
        <dd>
          <Group gap={4} fz="xs">
            <Code className={classes.id ?? ''}>{client.id}</Code>
            <CopyButton text={client.id} isCompact />
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
          <Anchor
            renderRoot={(props) => (
              <Link to={`${pages}/connections`} search={{ client: client.id }} {...props} />
            )}
          >
            {client.connections}
          </Anchor>
        </dd>
      </div>
      {organization !== null && (
        <div>
          <dt>{t('org_keys.created_by')}</dt>
          <dd>
            <bdi>{client.created_by?.email ?? t('org_keys.former_member')}</bdi>
          </dd>
        </div>
      )}
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
  const owner = useOwner();
  const path = clientPath(owner, `/${client.id}`);
  const lacking = owner.lacks('update', 'oauth_clients');
  const saved = valuesOfClient(client, owner.organization === null);
  const [status, setStatus] = useState<string | null>(null);
  const { form, submit, isPending, error } = useServerForm({
    initialValues: saved,
    async send(values) {
      const edit = clientEditOf(saved, values);
      return Object.keys(edit).length === 0 ? null : updateClient(path, edit);
    },
    async onSuccess(changed) {
      setStatus(t(changed === null ? 'key_form.unchanged' : 'client.saved'));
      if (changed === null) return;
      // The views that a scope implies were added.
      form.setValues(valuesOfClient(changed, owner.organization === null));
      await queries.invalidateQueries();
    },
    onError: () => setStatus(null),
  });
  return (
    <>
      <LeaveGuard isDirty={() => Object.keys(clientEditOf(saved, form.getValues())).length > 0} />
      {lacking !== null && <NeedsPermission permission={lacking} />}
      <ClientForm
        form={form}
        storedTeams={client.teams}
        isReadOnly={lacking !== null}
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
