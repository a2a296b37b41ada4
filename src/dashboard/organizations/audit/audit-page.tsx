import {
  Badge,
  Button,
  Code,
  Group,
  Select,
  SimpleGrid,
  Stack,
  Text,
  TextInput,
} from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { OrganizationAuditRecord } from '../../../audit/schema.ts';
import { Moment } from '../../parts/moment.tsx';
import { Page } from '../../parts/page.tsx';
import { shortId } from '../../parts/short-id.ts';
import { pagedQuery, pathOf } from '../organizations.ts';
import { Entries } from '../parts/entries.tsx';
import { useOrganization } from '../use-organization.ts';

const route = getRouteApi('/app/org/$organizationId/audit');
const OUTCOMES = ['done', 'refused'] as const;

/** Every change in the organization; the filters are in the address. */
export function AuditPage() {
  const { t } = useTranslation();
  const { id, name, may } = useOrganization();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const parameters = parametersOf(search);
  const path = pathOf(id, '/audit');
  const set = (field: string, value: string) =>
    void navigate({ search: { ...search, [field]: value || undefined }, replace: true });
  const csv = `${path}?${new URLSearchParams({ ...parameters, format: 'csv' })}`;
  return (
    <Page
      title={t('org_audit.title', { name })}
      actions={
        may('can_view_organization_audit') && (
          <Button
            component="a"
            href={csv}
            download
            variant="default"
            leftSection={<IconDownload size={16} aria-hidden />}
          >
            {t('org_audit.csv')}
          </Button>
        )
      }
    >
      <Stack>
        <SimpleGrid cols={{ base: 2, md: 4 }} spacing="sm" style={{ alignItems: 'end' }}>
          <TextInput
            data-filter
            label={t('org_audit.action')}
            description={t('org_audit.action_hint')}
            value={search.action ?? ''}
            maxLength={64}
            onChange={({ currentTarget }) =>
              set('action', currentTarget.value.toLowerCase().replaceAll(/[^a-z_.]/g, ''))
            }
          />
          <Select
            label={t('org_audit.outcome')}
            description={t('org_audit.outcome_hint')}
            clearable
            data={OUTCOMES.map((value) => ({ value, label: t(`org_audit.outcome_${value}`) }))}
            value={search.outcome ?? null}
            onChange={(value) => set('outcome', value ?? '')}
          />
          {(['from', 'to'] as const).map((field) => (
            <TextInput
              key={field}
              type="date"
              label={t(`org_audit.${field}`)}
              description={t(`org_audit.${field}_hint`)}
              value={search[field] ?? ''}
              onChange={({ currentTarget }) => set(field, currentTarget.value)}
            />
          ))}
        </SimpleGrid>
        <Entries
          query={pagedQuery<OrganizationAuditRecord>(path, parameters)}
          empty={
            Object.keys(parameters).length === 0 ? (
              t('org_audit.none')
            ) : (
              <Group>
                <Text>{t('mcp.no_match')}</Text>
                <Button
                  variant="default"
                  size="compact-sm"
                  onClick={() => void navigate({ search: {} })}
                >
                  {t('org_audit.clear')}
                </Button>
              </Group>
            )
          }
          idOf={(entry) => entry.id}
        >
          {(entry) => <Entry entry={entry} />}
        </Entries>
      </Stack>
    </Page>
  );
}

interface Search {
  action?: string | undefined;
  outcome?: string | undefined;
  from?: string | undefined;
  to?: string | undefined;
}

/** Days are those of the person's zone; the last day belongs to the period. */
function parametersOf({ action, outcome, from, to }: Search): Record<string, string> {
  const start = from === undefined ? null : timeOf(from, 0);
  const end = to === undefined ? null : timeOf(to, 1);
  return {
    ...(action === undefined ? {} : { action }),
    ...(outcome === undefined ? {} : { outcome }),
    ...(start === null ? {} : { from: start }),
    ...(end === null ? {} : { to: end }),
  };
}

function timeOf(day: string, later: number): string | null {
  const date = new Date(`${day}T00:00:00`);
  date.setDate(date.getDate() + later);
  return Number.isNaN(date.getTime()) ? null : date.toISOString();
}

function Entry({ entry }: { entry: OrganizationAuditRecord }) {
  const { t } = useTranslation();
  const { actor, credential, target, detail, outcome } = entry;
  const who = actor.email ?? credential?.name ?? (actor.id === null ? '' : shortId(actor.id));
  return (
    <div className="list-row">
      <Group justify="space-between" gap="sm">
        <Text size="sm">
          <Code>{entry.action}</Code>{' '}
          {outcome === 'refused' && (
            <Badge size="sm" color="red" variant="light" tt="none">
              {t('org_audit.outcome_refused')}
            </Badge>
          )}{' '}
          {target.map((one, index) => (
            <span key={one.id}>
              {index > 0 && ', '}
              <Target target={one} />
            </span>
          ))}
        </Text>
        <Text size="sm" c="dimmed">
          {t(`org_audit.actor_${actor.kind}`)} <bdi>{who}</bdi> · <Moment at={entry.at} />
        </Text>
      </Group>
      {detail !== null && (
        <details className="details">
          <summary>{t('org_audit.detail')}</summary>
          <pre className="code" tabIndex={0}>
            {JSON.stringify(detail, null, 2)}
          </pre>
        </details>
      )}
    </div>
  );
}

/** What was acted on, by its name; a person by the page that says who it is. */
function Target({
  target: { type, id, name },
}: {
  target: OrganizationAuditRecord['target'][number];
}) {
  const organization = useOrganization();
  const text = name ?? `${type} ${shortId(id)}`;
  if (type !== 'account') return <bdi>{text}</bdi>;
  const page: string = `/app/org/${organization.id}/members/${id}`;
  return (
    <Link to={page} className="text-link">
      <bdi>{text}</bdi>
    </Link>
  );
}
