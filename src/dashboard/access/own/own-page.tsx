import { Button, Group, Select, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { permissions } from '../../../authz/permissions.ts';
import type { SubjectAccess } from '../../../explorer/schema.ts';
import { readAll } from '../../api/lists.ts';
import { connectionsQuery } from '../../connections/connections.ts';
import { FAMILIES, ItemLists } from '../../keys/item-lists.tsx';
import type { OwnKey } from '../../keys/key-values.ts';
import { organizationsQuery } from '../../organizations/organizations.ts';
import { Problem } from '../../organizations/parts/problem.tsx';
import filters from '../../parts/filters.module.css';
import { Loading } from '../../parts/loading.tsx';
import { Page } from '../../parts/page.tsx';
import { PermissionView } from '../../parts/permission-view.tsx';
import { listOf } from '../../texts/texts.ts';
import { reasonText } from '../power-words.ts';
import { SubjectFacts } from '../subjects/subject-facts.tsx';
import { subjectName } from '../subjects/subjects.ts';
import { Permissions } from '../what/permissions.tsx';
import { ownAccessQuery } from './own.ts';
import type { OwnKind } from './own.ts';

const route = getRouteApi('/app/access');

/** What a person's own keys and connections may do and see now; the address names one. */
export function OwnPage() {
  const { t } = useTranslation();
  const { kind = 'key', subject } = route.useSearch();
  const navigate = route.useNavigate();
  const credentials = useOwnCredentials();
  const access = useQuery({
    ...ownAccessQuery(kind, subject ?? ''),
    enabled: subject !== undefined,
  });
  const all = [...credentials.keys, ...credentials.connections];
  const chosen = all.find(({ id }) => id === subject);
  const group = (entries: readonly OwnCredential[]) =>
    entries.map(({ kind: one, id, label }) => ({ value: `${one} ${id}`, label }));
  return (
    <Page title={t('own.title')} about={t('own.about')}>
      <Stack gap="lg">
        <div className={filters.filters}>
          <Select
            label={t('own.credential')}
            placeholder={t('access.search')}
            searchable
            allowDeselect={false}
            data={[
              { group: t('frame.keys'), items: group(credentials.keys) },
              { group: t('frame.connections'), items: group(credentials.connections) },
            ].filter(({ items }) => items.length > 0)}
            nothingFoundMessage={t('picker.no_match')}
            value={chosen === undefined ? null : `${chosen.kind} ${chosen.id}`}
            onChange={(value) => {
              const [next, id] = (value ?? '').split(' ');
              if (id !== undefined)
                void navigate({ search: () => ({ kind: next as OwnKind, subject: id }) });
            }}
          />
        </div>
        {credentials.error !== null && <Problem error={credentials.error} />}
        {subject === undefined && (
          <Text c="dimmed">
            {t(credentials.isWhole && all.length === 0 ? 'own.none' : 'own.choose')}
          </Text>
        )}
        {access.isError && <Problem error={access.error} onRetry={() => void access.refetch()} />}
        {subject !== undefined && access.isPending && <Loading height={240} />}
        {access.data !== undefined && (
          <OwnAccess access={access.data} kind={kind} place={chosen?.place ?? null} />
        )}
      </Stack>
    </Page>
  );
}

interface OwnCredential {
  kind: OwnKind;
  id: string;
  label: string;
  /** The organization in which it works; null for the person's account. */
  place: string | null;
}

/** Returns a person's keys and connections, with the organization in which each works. */
function useOwnCredentials() {
  const { data: organizations = [] } = useQuery(organizationsQuery);
  const keys = useQuery({
    queryKey: ['whole', '/api/keys'],
    queryFn: ({ signal }) => readAll<OwnKey>('/api/keys', signal),
  });
  const connections = useQuery(connectionsQuery('/api/me/connections'));
  const nameOf = (id: string) => organizations.find((one) => one.id === id)?.name ?? null;
  const entry = (kind: OwnKind, id: string, name: string, place: string | null) => {
    const inside = place === null ? null : nameOf(place);
    return { kind, id, place, label: inside === null ? name : `${name} (${inside})` };
  };
  return {
    keys: (keys.data ?? []).map(({ id, name, org_scope }) => entry('key', id, name, org_scope)),
    connections: (connections.data ?? [])
      .filter(({ kind }) => kind === 'delegated')
      .map(({ id, client, organization }) =>
        entry('connection', id, client.name, organization?.id ?? null),
      ),
    error: keys.error ?? connections.error,
    isWhole: keys.isSuccess && connections.isSuccess,
  };
}

function OwnAccess({
  access,
  kind,
  place,
}: {
  access: SubjectAccess;
  kind: OwnKind;
  place: string | null;
}) {
  const { t } = useTranslation();
  const { subject, counts } = access;
  const page = kind === 'key' ? `/app/keys/${subject.id}` : `/app/connections/${subject.id}`;
  return (
    <>
      <Group justify="space-between" gap="xs">
        <Title order={2}>
          <bdi>{subjectName(subject)}</bdi>
        </Title>
        <Button variant="default" size="xs" renderRoot={(props) => <Link to={page} {...props} />}>
          {t(kind === 'key' ? 'own.open_key' : 'own.open_connection')}
        </Button>
      </Group>
      <SubjectFacts access={access} />
      <section aria-labelledby="permissions">
        <Title order={2} id="permissions" mb="sm">
          {t('key_form.permissions')}
        </Title>
        {place === null ? (
          <PermissionView
            table={permissions.personal}
            label={t('own.in_account')}
            value={access.permissions}
          />
        ) : (
          <Permissions access={access} />
        )}
      </section>
      <section aria-labelledby="items">
        <Title order={2} id="items" mb="sm">
          {t('access.items')}
        </Title>
        <Stack gap="sm">
          <Text fw={600} role="status">
            {listOf(
              FAMILIES.map((family) => t(`preview.${family}`, { count: counts.visible[family] })),
            )}
          </Text>
          <ItemLists items={access} reasonText={(reason) => reasonText(reason, t)} />
        </Stack>
      </section>
    </>
  );
}
