import { Badge, Group, Stack, Text, Title } from '@mantine/core';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import type { AccessDiff, Difference } from '../../../explorer/schema.ts';
import { useTeamTitles } from '../../organizations/teams/use-team-titles.ts';
import { shortId } from '../../parts/short-id.ts';
import classes from '../access.module.css';
import { FAMILIES } from '../access-search.ts';
import { permissionText } from '../power-words.ts';

/** What only one of two has, next to each other. */
export function Differences({
  diff: { only_left, only_right, both },
  left,
  right,
}: {
  diff: AccessDiff;
  left: string;
  right: string;
}) {
  const { t } = useTranslation();
  return (
    <Stack gap="md">
      <Text fw={600} role="status">
        {only_left.length + only_right.length === 0 && `${t('access.same')} `}
        {t('access.both', { count: both })}
      </Text>
      <div className={classes.sides}>
        <Only name={left} differences={only_left} />
        <Only name={right} differences={only_right} />
      </div>
    </Stack>
  );
}

/** What only one side has; of reviews, by whom. */
function Only({ name, differences }: { name: string; differences: readonly Difference[] }) {
  const { t } = useTranslation();
  const heading = useId();
  const bySubject = Map.groupBy(differences, ({ subject }) => subject?.id ?? '');
  return (
    <section className="card" aria-labelledby={heading}>
      <div className="list-row">
        <Title order={2} size="h3" id={heading}>
          {t('access.only', { name, count: differences.length })}
        </Title>
        {differences.length === 0 && (
          <Text size="sm" c="dimmed">
            {t('access.only_nothing')}
          </Text>
        )}
        {[...bySubject.values()].map((some) => (
          <OfSubject key={some[0]!.subject?.id ?? ''} differences={some} />
        ))}
      </div>
    </section>
  );
}

/** Permissions, what may be used over MCP, and items. */
function OfSubject({ differences }: { differences: readonly Difference[] }) {
  const { t } = useTranslation();
  const titles = useTeamTitles();
  const subject = differences[0]!.subject;
  const permissions = differences.flatMap(({ permission, team }) => {
    if (permission === null) return [];
    const words = permissionText(permission, t);
    return [team === null ? words : `${words} (${titles.get(team.id) ?? team.name})`];
  });
  const kinds = differences.flatMap(({ capability }) =>
    capability === null ? [] : [t(`capability.${capability as 'tools'}`)],
  );
  const groups = [
    { title: t('key_form.permissions'), names: permissions },
    { title: t('new_key.capabilities'), names: kinds },
    ...FAMILIES.map((family) => ({
      title: t(`frame.${family}`),
      names: differences.flatMap(({ item }) =>
        item?.family === family ? [item.name || shortId(item.id)] : [],
      ),
    })),
  ].filter(({ names }) => names.length > 0);
  return (
    <div className={classes.differing}>
      {subject !== null && (
        <Group gap="xs" mt="sm">
          <Title order={3} size="h4">
            <bdi>{subject.name ?? shortId(subject.id)}</bdi>
          </Title>
          <Badge size="sm" variant="default">
            {t(`access.kind_${subject.kind}`)}
          </Badge>
        </Group>
      )}
      {groups.map(({ title, names }) => (
        <div key={title}>
          <Text size="sm" c="dimmed" mt="xs">
            {title} ({names.length})
          </Text>
          <ul className="names">
            {names.map((one, index) => (
              <li key={`${one} ${index}`}>
                <bdi>{one}</bdi>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </div>
  );
}
