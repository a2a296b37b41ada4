import { Badge, Button, Group, Stack, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconPlus } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { FilterField } from '../../parts/filter-field.tsx';
import { Moment } from '../../parts/moment.tsx';
import { Page } from '../../parts/page.tsx';
import { pagedQuery, pathOf } from '../organizations.ts';
import { Entries } from '../parts/entries.tsx';
import { useOrganization } from '../use-organization.ts';
import type { OrganizationKey } from './organization-keys.ts';

const SEARCH_MS = 250;

/** Keys that belong to the organization and act for no person. */
export function OrganizationKeysPage() {
  const { t } = useTranslation();
  const { id, name, may } = useOrganization();
  const [q, setSearch] = useState('');
  const [searched] = useDebouncedValue(q.trim(), SEARCH_MS);
  return (
    <Page
      title={t('org_keys.title', { name })}
      actions={
        may('can_create_organization_api_keys') && (
          <Button
            leftSection={<IconPlus size={16} aria-hidden />}
            renderRoot={(props) => (
              <Link
                to="/app/org/$organizationId/keys/new"
                params={{ organizationId: id }}
                {...props}
              />
            )}
          >
            {t('keys.new')}
          </Button>
        )
      }
    >
      <Stack>
        <Text c="dimmed">{t('org_keys.intro')}</Text>
        <FilterField
          label={t('org_keys.search')}
          value={q}
          onChange={({ currentTarget }) => setSearch(currentTarget.value)}
        />
        <Entries
          query={pagedQuery<OrganizationKey>(pathOf(id, '/keys'), { q: searched })}
          empty={t(searched === '' ? 'org_keys.none' : 'mcp.no_match')}
          idOf={(key) => key.id}
        >
          {(key) => <KeyRow record={key} />}
        </Entries>
      </Stack>
    </Page>
  );
}

function KeyRow({ record }: { record: OrganizationKey }) {
  const { t } = useTranslation();
  const { id } = useOrganization();
  return (
    <Link
      to="/app/org/$organizationId/keys/$keyId"
      params={{ organizationId: id, keyId: record.id }}
      className="list-row"
    >
      <Group justify="space-between" gap="sm">
        <div>
          <Text fw={600}>
            <bdi>{record.name}</bdi>{' '}
            {record.status === 'expired' && (
              <Badge size="sm" color="red" variant="light">
                {t('keys.expired')}
              </Badge>
            )}
          </Text>
          <Text size="sm" c="dimmed">
            <Text span ff="monospace">
              {record.secret_prefix}…
            </Text>{' '}
            · <KeyTeams record={record} />
          </Text>
        </div>
        <Group gap="xs">
          {record.mcp_capabilities.map((capability) => (
            <Badge key={capability} variant="default" size="sm" tt="none">
              {t(`capability.${capability}`)}
            </Badge>
          ))}
          <Text size="sm" c="dimmed">
            {record.last_used_at === null ? (
              t('keys.never_used')
            ) : (
              <Moment at={record.last_used_at} />
            )}
          </Text>
        </Group>
      </Group>
    </Link>
  );
}

/** The teams in which a key is active. */
export function KeyTeams({ record: { follows_teams, teams } }: { record: OrganizationKey }) {
  const { t } = useTranslation();
  if (follows_teams) return t('org_keys.follows');
  return teams.length === 0 ? t('org.no_team') : teams.map(({ name }) => name).join(', ');
}
