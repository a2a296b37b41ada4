import { Text, Title } from '@mantine/core';
import { IconChevronRight } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { defaultRangeExtractor, useWindowVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Holder, ItemUser } from '../../../explorer/schema.ts';
import { useTeamTitles } from '../../organizations/teams/use-team-titles.ts';
import { useOrganization } from '../../organizations/use-organization.ts';
import { Moment } from '../../parts/moment.tsx';
import { listOf } from '../../texts/texts.ts';
import classes from '../access.module.css';
import type { PowerChoice } from '../access-search.ts';
import { Chain, MainLink, mainLink } from '../evidence/evidence.tsx';
import { useTupleNames } from '../evidence/tuple-words.ts';
import type { TupleNames } from '../evidence/tuple-words.ts';
import { SubjectLink } from '../subjects/subject-link.tsx';
import { subjectName } from '../subjects/subjects.ts';

/** Height of a row before it is measured. */
const ROW_PX = 84;
/** The next page is read when so few rows are left. */
const ROWS_LEFT = 20;

/**
 * Holders by kind. Only the rows in view are in the document, with the one that has the focus; the
 * next page is read before the last row is in view.
 */
export function HolderList({
  holders,
  power,
  isWhole,
  onMore,
}: {
  holders: readonly (Holder | ItemUser)[];
  /** What they hold, as the page that explains it has it in its address. */
  power: PowerChoice;
  isWhole: boolean;
  onMore(): void;
}) {
  const { t } = useTranslation();
  const names = useTupleNames(t);
  const list = useRef<HTMLDivElement>(null);
  const [scrollMargin, setMargin] = useState(0);
  const [active, setActive] = useState<number | null>(null);
  useLayoutEffect(() => {
    const top = list.current?.getBoundingClientRect().top ?? 0;
    setMargin(top + window.scrollY);
  }, []);
  const rows = useWindowVirtualizer({
    count: holders.length,
    estimateSize: () => ROW_PX,
    overscan: 10,
    scrollMargin,
    getItemKey: (index) => `${holders[index]!.subject.kind} ${holders[index]!.subject.id}`,
    rangeExtractor: (range) =>
      [
        ...new Set([
          ...defaultRangeExtractor(range),
          ...(active !== null && active < holders.length ? [active] : []),
        ]),
      ].toSorted((a, b) => a - b),
  });
  const shown = rows.getVirtualItems();
  const last = shown.at(-1)?.index ?? 0;
  useEffect(() => {
    if (!isWhole && last >= holders.length - ROWS_LEFT) onMore();
  }, [isWhole, last, holders.length, onMore]);
  const kindAt = (index: number) => holders[index]?.subject.kind;
  return (
    <div
      ref={list}
      role="list"
      aria-label={t('access.holders_list')}
      className={classes.rows}
      style={{ blockSize: rows.getTotalSize() }}
    >
      {shown.map(({ key, index, start }) => {
        const holder = holders[index]!;
        const isFirst = kindAt(index - 1) !== holder.subject.kind;
        const isLast = kindAt(index + 1) !== holder.subject.kind;
        return (
          <div
            key={key}
            ref={rows.measureElement}
            data-index={index}
            data-first={isFirst || undefined}
            data-last={isLast || undefined}
            role="listitem"
            aria-setsize={isWhole ? holders.length : -1}
            aria-posinset={index + 1}
            className={classes.row}
            style={{ insetBlockStart: start - scrollMargin }}
            onFocus={() => setActive(index)}
          >
            {isFirst && (
              <Title order={2} size="h3" className={classes.kind}>
                {t(`access.kinds_${holder.subject.kind}`)}
              </Title>
            )}
            <HolderRow holder={holder} power={power} names={names} />
          </div>
        );
      })}
    </div>
  );
}

function HolderRow({
  holder,
  power,
  names,
}: {
  holder: Holder | ItemUser;
  power: PowerChoice;
  names: TupleNames;
}) {
  const { t } = useTranslation();
  const { id } = useOrganization();
  const titles = useTeamTitles();
  const { subject, because } = holder;
  const teams = 'teams' in holder ? holder.teams : null;
  const main = mainLink(because);
  const about = [
    ...(subject.kind === 'member' || subject.owner === null ? [] : [subject.owner.email ?? '']),
    ...(teams === null
      ? []
      : [
          t('members.in_teams', {
            names: listOf(teams.map((team) => titles.get(team.id) ?? team.name)),
          }),
        ]),
  ];
  const [team] = teams ?? [];
  return (
    <div className={classes.holder}>
      <div>
        <Text fw={600}>
          <SubjectLink subject={subject} />
        </Text>
        {about.length > 0 && (
          <Text size="sm" c="dimmed">
            <bdi>{about.join(' · ')}</bdi>
          </Text>
        )}
      </div>
      <div className={classes.end}>
        {subject.kind !== 'member' &&
          (subject.last_used_at === null ? (
            t('keys.never_used')
          ) : (
            <Moment at={subject.last_used_at} />
          ))}{' '}
        <Link
          to="/app/org/$organizationId/access/explain"
          params={{ organizationId: id }}
          search={{
            ...{ kind: subject.kind, subject: subject.id, ...power },
            ...(team === undefined ? {} : { team: team.id }),
          }}
          className="text-link"
          aria-label={t('access.why_of', { name: subjectName(subject) })}
        >
          {t('access.why')}
        </Link>
      </div>
      {main !== undefined && (
        <details className={classes.why}>
          <summary className="fold">
            <IconChevronRight size={14} aria-hidden className="fold-mark" />
            <MainLink tuple={main} names={names} />
          </summary>
          <Chain tuples={because} names={names} />
        </details>
      )}
    </div>
  );
}
