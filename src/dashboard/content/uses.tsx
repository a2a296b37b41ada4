import { Badge, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { ItemUses, KeyUse } from '../../content/items/schema.ts';
import { usesQuery } from './items.ts';
import { addressOf, useSpace } from './space.ts';
import { ErrorAlert } from '../parts/error-alert.tsx';
import { Loading } from '../parts/loading.tsx';

/** What uses an item. */
export function Uses({ path, id }: { path: string; id: string }) {
  const { t } = useTranslation();
  const uses = useQuery(usesQuery({ space: useSpace(), path }, id));
  if (uses.isError) return <ErrorAlert error={uses.error} onRetry={() => void uses.refetch()} />;
  if (uses.data === undefined) return <Loading height={120} />;
  const { keys, teams, agents } = uses.data.counts;
  return (
    <Stack>
      <Text size="sm" c="dimmed">
        {t('content.uses_intro')}
      </Text>
      {keys + teams + agents === 0 ? (
        <Text className="card empty">{t('content.not_used')}</Text>
      ) : (
        <div className="card uses">
          <UseList uses={uses.data} />
        </div>
      )}
    </Stack>
  );
}

/** The keys, teams and agents that name an item. */
export function UseList({ uses: { keys, teams, agents, counts } }: { uses: ItemUses }) {
  const { t } = useTranslation();
  const space = useSpace();
  return (
    <ul className="names">
      {keys.map((key) => (
        <li key={key.id}>
          <Group gap="xs">
            <span>
              {t('content.used_by_key')} <Named to={pageOf(key)} name={key.name} />
            </span>
            {key.as.map((one) => (
              <Badge key={one} variant="default" size="sm" tt="none">
                {t(`content.used_as_${one}`)}
              </Badge>
            ))}
          </Group>
        </li>
      ))}
      {teams.map(({ id, name }) => (
        <li key={id}>
          {t('content.used_by_team')} <bdi>{name}</bdi>
        </li>
      ))}
      {agents.map(({ id, name }) => (
        <li key={id}>
          {t('content.used_by_agent')} <Named to={addressOf(space, 'agents', id)} name={name} />
        </li>
      ))}
      <More
        count={counts.keys + counts.teams + counts.agents}
        shown={keys.length + teams.length + agents.length}
      />
    </ul>
  );
}

/** A key of an organization has its page there. */
const pageOf = ({ id, organization_id }: KeyUse): string =>
  organization_id === null ? `/app/keys/${id}` : `/app/org/${organization_id}/keys/${id}`;

function Named({ to, name }: { to: string; name: string }) {
  return (
    <Link to={to} className="text-link">
      <bdi>{name}</bdi>
    </Link>
  );
}

function More({ count, shown }: { count: number; shown: number }) {
  const { t } = useTranslation();
  return count > shown ? <li>{t('content.used_more', { count: count - shown })}</li> : null;
}
