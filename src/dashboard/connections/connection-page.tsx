import { Alert, Button, Stack, Tabs, Text, Title } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ToolListing } from '../../caller/schema.ts';
import type { ConnectionRecord } from '../../oauth/connections/schema.ts';
import type { Preview as PreviewBody } from '../../visibility/schema.ts';
import {
  connectionPath,
  connectionPreviewQuery,
  connectionsQuery,
  updateConnection,
} from './connections.ts';
import { NeedsPermission, Problem } from '../organizations/parts/problem.tsx';
import { useOwner } from '../organizations/use-owner.ts';
import { AgentField } from '../keys/agent-field.tsx';
import { Explain } from '../keys/explain.tsx';
import { explainSearchOf } from '../keys/key-search.ts';
import type { ExplainSearch } from '../keys/key-search.ts';
import { UNAVAILABLE } from '../keys/key-values.ts';
import { ListingField } from '../keys/listing-field.tsx';
import { Preview } from '../keys/preview.tsx';
import { ErrorAlert } from '../parts/error-alert.tsx';
import { Moment } from '../parts/moment.tsx';
import { Page } from '../parts/page.tsx';
import { restrictionsOf, restrictionValuesOf } from '../parts/restrictions.ts';
import type { RestrictionValues } from '../parts/restrictions.ts';
import { RestrictionsField } from '../parts/restrictions-field.tsx';
import { useServerForm } from '../parts/use-server-form.ts';
import { RevokeConnection } from './revoke-connection.tsx';
import { Loading } from '../parts/loading.tsx';
import { listOf } from '../texts/texts.ts';

const TABS = ['access', 'explain'] as const;

/** One connection: what its application may do, and why. */
export function ConnectionPage() {
  const { t } = useTranslation();
  const { connectionId } = useParams({ strict: false });
  const connections = useQuery(connectionsQuery(connectionPath(useOwner())));
  const connection = connections.data?.find(({ id }) => id === connectionId);
  if (connection !== undefined) return <Found key={connection.id} connection={connection} />;
  return (
    <Page title={t('connection.title')}>
      {connections.isError && (
        <Problem error={connections.error} onRetry={() => void connections.refetch()} />
      )}
      {connections.isPending && <Loading height={240} />}
      {connections.isSuccess && <Text>{t('errors.not_found_body')}</Text>}
    </Page>
  );
}

function Found({ connection }: { connection: ConnectionRecord }) {
  const { t } = useTranslation();
  const owner = useOwner();
  const path = connectionPath(owner, `/${connection.id}`);
  const found: Record<string, unknown> = useSearch({ strict: false });
  const search = explainSearchOf(found);
  const tab = found['tab'] === 'explain' ? 'explain' : 'access';
  const navigate = useNavigate();
  // What a member's connection sees is shown to that member alone.
  const isShown = owner.organization === null || connection.kind === 'machine';
  const preview = useQuery({ ...connectionPreviewQuery(path), enabled: isShown });
  const go = (next: ExplainSearch & { tab: typeof tab }) =>
    void navigate({ to: '.', search: () => next });
  const mayRevoke = owner.lacks('delete', 'oauth_clients') === null;
  return (
    <Page
      title={connection.client.name}
      parents={[{ to: `${owner.pages}/connections`, label: t('connection.title') }]}
      actions={mayRevoke && <RevokeConnection connection={connection} />}
    >
      <Facts connection={connection} />
      {!isShown && (
        <Text mt="lg" c="dimmed">
          {t('connection.no_preview')}
        </Text>
      )}
      {isShown && (
        <Tabs
          mt="lg"
          value={tab}
          keepMounted={false}
          onChange={(chosen) => go({ tab: chosen as typeof tab })}
        >
          <Tabs.List mb="lg" aria-label={t('connection.tabs')}>
            {TABS.map((one) => (
              <Tabs.Tab key={one} value={one}>
                {t(`key.tab_${one}`)}
              </Tabs.Tab>
            ))}
          </Tabs.List>
          <Tabs.Panel value="access">
            <Stack gap="xl">
              <Settings connection={connection} path={path} preview={preview.data} />
              <section aria-labelledby="preview">
                <Title order={2} id="preview" mb="sm">
                  {t('connection.preview')}
                </Title>
                <Preview
                  preview={preview.data}
                  error={preview.error}
                  isPending={preview.isPending}
                  onRetry={preview.refetch}
                />
              </section>
            </Stack>
          </Tabs.Panel>
          <Tabs.Panel value="explain">
            {preview.isError && (
              <ErrorAlert error={preview.error} onRetry={() => void preview.refetch()} />
            )}
            <Explain
              path={path}
              preview={preview.data}
              search={search}
              onSearch={(next) => go({ ...next, tab: 'explain' })}
            />
          </Tabs.Panel>
        </Tabs>
      )}
    </Page>
  );
}

/** What can be changed of a connection; the rest was decided with the consent. */
function Settings({
  connection,
  path,
  preview,
}: {
  connection: ConnectionRecord;
  path: string;
  preview: PreviewBody | undefined;
}) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const lacking = useOwner().lacks('update', 'oauth_clients');
  const [isSaved, setSaved] = useState(false);
  const stored = settingsOf(connection);
  const { form, submit, isPending, error } = useServerForm({
    initialValues: stored,
    send: ({ default_agent_id, tool_listing, ...restrictions }) =>
      updateConnection(path, {
        // An unavailable agent has no id here; it stays unless another is chosen.
        ...(default_agent_id === stored.default_agent_id ? {} : { default_agent_id }),
        ...{ tool_listing, ...restrictionsOf(restrictions) },
      }),
    async onSuccess() {
      setSaved(true);
      await queries.invalidateQueries();
    },
    onError: () => setSaved(false),
  });
  return (
    <section aria-labelledby="settings">
      <Title order={2} id="settings" mb="sm">
        {t('connection.settings')}
      </Title>
      {lacking !== null && <NeedsPermission permission={lacking} />}
      <form onSubmit={submit}>
        <fieldset className="plain" disabled={lacking !== null}>
          <Stack gap="sm" align="start" maw={480}>
            {error !== null && <ErrorAlert error={error} />}
            <Title order={3} size="h5">
              {t('key_form.listing')}
            </Title>
            <ListingField form={form} />
            <Title order={3} size="h5" mt="xs">
              {t('key_form.agent')}
            </Title>
            <AgentField form={form} reachable={preview?.visible.agents ?? []} />
            <Title order={3} size="h5" mt="xs">
              {t('restrictions.title')}
            </Title>
            <RestrictionsField
              value={form.values}
              errors={form.errors}
              onChange={(next) => form.setValues(next)}
            />
            {lacking === null && (
              <Button type="submit" loading={isPending}>
                {t('form.save')}
              </Button>
            )}
            <div role="status">
              {isSaved && <Alert variant="light">{t('key_form.saved')}</Alert>}
            </div>
          </Stack>
        </fieldset>
      </form>
    </section>
  );
}

// A type, since the values of a form have an index signature.
type ConnectionSettings = RestrictionValues & {
  default_agent_id: string | null;
  tool_listing: ToolListing;
};

const settingsOf = ({
  default_agent: agent,
  tool_listing,
  ...connection
}: ConnectionRecord): ConnectionSettings => ({
  ...restrictionValuesOf(connection),
  default_agent_id: agent === null ? null : 'id' in agent ? agent.id : UNAVAILABLE,
  tool_listing,
});

function Facts({ connection }: { connection: ConnectionRecord }) {
  const { t } = useTranslation();
  const owner = useOwner();
  const { kind, account, organization, teams, scopes, mcp_capabilities, last_used_at } = connection;
  const managing = scopes.filter((scope) => !scope.startsWith('mcp_'));
  const facts = [
    owner.organization === null
      ? [
          t('connection.works_in'),
          organization === null
            ? t('connection.own_account')
            : (organization.name ?? t('key_form.organization_left')),
        ]
      : [
          t('connection.person'),
          kind === 'machine'
            ? owner.organization.name
            : (account?.email ?? t('connection.former_member')),
        ],
    ...(organization === null
      ? []
      : [
          [
            t('connection.teams'),
            connection.follows_memberships
              ? t('key_form.teams_all')
              : listOf(teams.map(({ name }) => name)) || t('key.no_team'),
          ],
        ]),
    [
      t('client.use'),
      listOf(mcp_capabilities.map((one) => t(`capability.${one}`))) || t('connection.nothing'),
    ],
    [t('key_form.listing'), t(`key_form.listing_${connection.tool_listing}`)],
    [t('connection.manages'), listOf(managing) || t('connection.nothing')],
  ] as const;
  return (
    <dl className="card facts">
      {facts.map(([label, text]) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>{text}</dd>
        </div>
      ))}
      <div>
        <dt>{t('connection.allowed')}</dt>
        <dd>
          <Moment at={connection.created_at} />
        </dd>
      </div>
      <div>
        <dt>{t('key.last_used')}</dt>
        <dd>{last_used_at === null ? t('key.never') : <Moment at={last_used_at} />}</dd>
      </div>
    </dl>
  );
}
