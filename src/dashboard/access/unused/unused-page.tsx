import { Badge, Button, Group, NativeSelect, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Entries } from '../../organizations/parts/entries.tsx';
import { permissionWords } from '../../organizations/parts/permission-words.ts';
import { useOrganization } from '../../organizations/use-organization.ts';
import { profileQuery } from '../../api/session.ts';
import filterStyles from '../../parts/filters.module.css';
import { Moment } from '../../parts/moment.tsx';
import { Page } from '../../parts/page.tsx';
import { listOf } from '../../texts/texts.ts';
import classes from '../access.module.css';
import { SubjectLink } from '../subjects/subject-link.tsx';
import { TakeAway } from './take-away.tsx';
import { PERIODS, unusedQuery } from './unused.ts';
import type { UnusedAuthority } from './unused.ts';

const route = getRouteApi('/app/org/$organizationId/access/unused');

/** What credentials carry and do not need, and taking it away. */
export function UnusedPage() {
  const { t, i18n } = useTranslation();
  const { id } = useOrganization();
  const inDays = new Intl.NumberFormat(i18n.language, {
    ...{ style: 'unit', unit: 'day', unitDisplay: 'long' },
  });
  const { days = '90' } = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <Page title={t('unused.title')} about={t('unused.about')}>
      <Stack>
        <div className={filterStyles.filters} role="search">
          <NativeSelect
            data-filter
            label={t('unused.period')}
            value={days}
            data={PERIODS.map((one) => ({
              value: one,
              label: inDays.format(Number(one)),
            }))}
            onChange={({ currentTarget: { value } }) =>
              void navigate({
                search: () => ({ days: value as (typeof PERIODS)[number] }),
                replace: true,
              })
            }
          />
        </div>
        <Entries
          query={unusedQuery(id, days)}
          empty={t('unused.none')}
          idOf={({ subject }) => subject.id}
        >
          {(entry) => <UnusedRow entry={entry} />}
        </Entries>
      </Stack>
    </Page>
  );
}

function UnusedRow({ entry }: { entry: UnusedAuthority }) {
  const { t } = useTranslation();
  const { subject, permissions, capabilities, items, unused_since } = entry;
  const facts = [
    { title: t('key_form.permissions'), names: permissionWords(permissions, t) },
    { title: t('new_key.capabilities'), names: capabilities.map((one) => t(`capability.${one}`)) },
    { title: t('access.items'), names: items.map((one) => one.id) },
  ].filter(({ names }) => names.length > 0);
  return (
    <div className={`list-row ${classes.unused}`}>
      <div>
        <Group gap="xs">
          <Text fw={600}>
            <SubjectLink subject={{ ...subject, teams: [], follows: false }} />
          </Text>
          <Badge size="sm" variant="default">
            {t(`access.kind_${subject.kind}`)}
          </Badge>
        </Group>
        {subject.owner !== null && (
          <Text size="sm" c="dimmed">
            <bdi>{subject.owner.email ?? t('org_keys.former_member')}</bdi>
          </Text>
        )}
        <Text size="sm" c="dimmed">
          {t('unused.since')} <Moment at={unused_since} />
        </Text>
      </div>
      <dl className={classes.carried}>
        {facts.map(({ title, names }) => (
          <div key={title}>
            <dt>{title}</dt>
            <dd>
              <bdi>{listOf(names)}</bdi>
            </dd>
          </div>
        ))}
      </dl>
      <div className={classes.act}>
        <Act entry={entry} />
      </div>
    </div>
  );
}

/** Takes it away from a key that the person may change; else leads to where it can be done. */
function Act({ entry }: { entry: UnusedAuthority }) {
  const { t } = useTranslation();
  const { id, may } = useOrganization();
  const { data: profile } = useQuery(profileQuery);
  const [isOpen, setOpen] = useState(false);
  const { kind, owner } = entry.subject;
  const isOwn = kind === 'key' && owner !== null && owner.account_id === profile?.id;
  const mayEdit = kind === 'organization_key' && may('can_update_organization_api_keys');
  if (isOwn || mayEdit)
    return (
      <>
        <Button size="xs" variant="default" onClick={() => setOpen(true)}>
          {t('unused.take_away')}
        </Button>
        {isOpen && <TakeAway entry={entry} isOwn={isOwn} onClose={() => setOpen(false)} />}
      </>
    );
  if (owner !== null)
    return (
      <Link
        to="/app/org/$organizationId/members/$accountId"
        params={{ organizationId: id, accountId: owner.account_id }}
        className="text-link"
      >
        {t('unused.open_member')}
      </Link>
    );
  const { to, text } = PLACES[kind];
  return (
    <Link to={to} params={{ organizationId: id }} className="text-link">
      {t(text)}
    </Link>
  );
}

const KEYS = { to: '/app/org/$organizationId/keys', text: 'unused.open_keys' } as const;
const CLIENTS = { to: '/app/org/$organizationId/clients', text: 'unused.open_clients' } as const;
/** Where those change that act for no person. */
const PLACES = { key: KEYS, organization_key: KEYS, connection: CLIENTS, client: CLIENTS } as const;
