import { Badge, Button, Group, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { IconCircle, IconCircleCheck } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { Dashboard } from '../../usage/schema.ts';
import { catalogToolsQuery, mcpSettingsQuery, saveMcpSettings } from '../mcp/mcp-settings.ts';
import { dashboardQuery } from './dashboard.ts';
import { ErrorAlert } from '../parts/error-alert.tsx';
import { Moment } from '../parts/moment.tsx';
import { Page } from '../parts/page.tsx';
import { Days } from '../usage/days.tsx';
import { OutcomeBadge } from '../usage/outcome-badge.tsx';
import { Loading } from '../parts/loading.tsx';

/** What to do first, then what happened lately. */
export function OverviewPage() {
  const { t } = useTranslation();
  const dashboard = useQuery(dashboardQuery);
  return (
    <Page title={t('overview.title')}>
      {dashboard.isError && (
        <ErrorAlert error={dashboard.error} onRetry={() => void dashboard.refetch()} />
      )}
      {dashboard.isPending && <Loading height={240} />}
      {dashboard.data !== undefined && (
        <Stack gap="xl">
          {callsIn(dashboard.data) === 0 && <FirstSteps dashboard={dashboard.data} />}
          <Figures dashboard={dashboard.data} />
          {callsIn(dashboard.data) > 0 && <Days />}
          <LatestErrors errors={dashboard.data.errors} />
        </Stack>
      )}
    </Page>
  );
}

const callsIn = ({ calls }: Dashboard) => calls.reduce((sum, day) => sum + day.calls, 0);

function FirstSteps({ dashboard }: { dashboard: Dashboard }) {
  const { t } = useTranslation();
  const { keys, selected_tools } = dashboard;
  return (
    <section aria-labelledby="first-steps">
      <Title order={2} id="first-steps">
        {t('overview.start')}
      </Title>
      <Text c="dimmed" mb="sm">
        {t('overview.start_body')}
      </Text>
      <ol className="card list steps">
        <Step
          title={t('overview.step_tools')}
          body={
            selected_tools > 0
              ? t('overview.step_tools_done', { count: selected_tools })
              : t('overview.step_tools_body')
          }
          isDone={selected_tools > 0}
          action={<ChooseTools isNext={selected_tools === 0} />}
        />
        <Step
          title={t('overview.step_key')}
          body={
            keys > 0 ? t('overview.step_key_done', { count: keys }) : t('overview.step_key_body')
          }
          isDone={keys > 0}
          action={
            <Button
              variant={selected_tools > 0 && keys === 0 ? 'filled' : 'default'}
              renderRoot={(props) => <Link to="/app/keys/new" {...props} />}
            >
              {t('overview.create_key')}
            </Button>
          }
        />
        <Step
          title={t('overview.step_connect')}
          body={t('overview.step_connect_body')}
          isDone={false}
          action={
            <Button
              variant={keys > 0 ? 'filled' : 'default'}
              renderRoot={(props) => <Link to="/app/connect" {...props} />}
            >
              {t('overview.connect')}
            </Button>
          }
        />
        <Step title={t('overview.step_call')} body={t('overview.step_call_body')} isDone={false} />
      </ol>
    </section>
  );
}

function Step({
  title,
  body,
  isDone,
  action,
}: {
  title: string;
  body: string;
  isDone: boolean;
  action?: ReactNode;
}) {
  const { t } = useTranslation();
  const Icon = isDone ? IconCircleCheck : IconCircle;
  return (
    <li className="list-row">
      <Group justify="space-between" gap="md">
        <Group gap="sm" wrap="nowrap" align="start" flex="1 1 16rem">
          <Icon
            aria-hidden
            color={isDone ? 'var(--mantine-color-teal-6)' : 'var(--mantine-color-dimmed)'}
            className="step-icon"
          />
          <div>
            <Text fw={600}>
              {title}{' '}
              {isDone && (
                <Badge size="sm" variant="light" color="teal" className="done">
                  {t('overview.done')}
                </Badge>
              )}
            </Text>
            <Text size="sm" c="dimmed">
              {body}
            </Text>
          </div>
        </Group>
        {action}
      </Group>
    </li>
  );
}

/** Selects every built-in tool at once, or leads to the page where they are chosen. */
function ChooseTools({ isNext }: { isNext: boolean }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const tools = useQuery(catalogToolsQuery);
  const settings = useQuery(mcpSettingsQuery);
  const selectAll = useMutation({
    mutationFn: () =>
      saveMcpSettings({
        tools: (tools.data ?? []).map(({ id }) => id),
        platform_prompts: settings.data?.platform_prompts ?? [],
      }),
    onSuccess: () => queries.invalidateQueries(),
  });
  return (
    <Stack gap="xs">
      {selectAll.isError && <ErrorAlert error={selectAll.error} />}
      <Group gap="xs">
        {isNext && (
          <Button
            loading={selectAll.isPending}
            disabled={tools.data === undefined || settings.data === undefined}
            onClick={() => selectAll.mutate()}
          >
            {t('overview.select_all')}
          </Button>
        )}
        <Button variant="default" renderRoot={(props) => <Link to="/app/mcp" {...props} />}>
          {t('overview.choose')}
        </Button>
      </Group>
    </Stack>
  );
}

function Figures({ dashboard }: { dashboard: Dashboard }) {
  const { t, i18n } = useTranslation();
  const { items } = dashboard;
  const figures = [
    [t('overview.calls'), callsIn(dashboard)],
    [t('overview.selected'), dashboard.selected_tools],
    [t('overview.api_keys'), dashboard.keys],
    [t('overview.own_items'), Object.values(items).reduce((sum, count) => sum + count, 0)],
  ] as const;
  return (
    <SimpleGrid cols={{ base: 2, md: 4 }} component="dl" m={0}>
      {figures.map(([label, count]) => (
        <div key={label} className="card figure">
          <dt>{label}</dt>
          <dd>{count.toLocaleString(i18n.resolvedLanguage)}</dd>
        </div>
      ))}
    </SimpleGrid>
  );
}

function LatestErrors({ errors }: { errors: Dashboard['errors'] }) {
  const { t } = useTranslation();
  return (
    <section aria-labelledby="latest-errors">
      <Title order={2} id="latest-errors" mb="sm">
        {t('overview.errors')}
      </Title>
      {errors.length === 0 ? (
        <Text c="dimmed">{t('overview.no_errors')}</Text>
      ) : (
        <div className="card list">
          {errors.map(({ id, at, key, item, outcome, layer }) => (
            <Group key={id} className="list-row" justify="space-between" gap="sm">
              <div>
                <Text size="sm" fw={600}>
                  <bdi>{item.name ?? t('usage.unknown_item')}</bdi>
                </Text>
                <Text size="xs" c="dimmed">
                  <bdi>{key?.name ?? t('overview.no_key')}</bdi>
                </Text>
              </div>
              <Group gap="sm">
                <OutcomeBadge outcome={outcome} layer={layer} />
                <Text size="sm" c="dimmed">
                  <Moment at={at} />
                </Text>
              </Group>
            </Group>
          ))}
        </div>
      )}
    </section>
  );
}
