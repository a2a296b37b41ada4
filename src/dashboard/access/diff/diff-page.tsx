import { Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import type { AccessDiff, Difference, Subject } from '../../../explorer/schema.ts';
import { Problem } from '../../organizations/parts/problem.tsx';
import { useTeamTitles } from '../../organizations/teams/use-team-titles.ts';
import { useOrganization } from '../../organizations/use-organization.ts';
import { Loading } from '../../parts/loading.tsx';
import { Page } from '../../parts/page.tsx';
import { shortId } from '../../parts/short-id.ts';
import classes from '../access.module.css';
import { FAMILIES } from '../access-search.ts';
import type { DiffSearch, SubjectChoice } from '../access-search.ts';
import { accessQuery, diffQuery } from '../access.ts';
import { permissionText } from '../power-words.ts';
import { SubjectField } from '../subjects/subject-field.tsx';
import { subjectName } from '../subjects/subjects.ts';

const route = getRouteApi('/app/org/$organizationId/access/compare');

/** What only one of two subjects may do, and what both may; the address names them. */
export function DiffPage() {
  const { t } = useTranslation();
  const { id } = useOrganization();
  const search = route.useSearch();
  const navigate = useNavigate();
  const { left_kind = 'member', left, right_kind = 'member', right } = search;
  const diff = useQuery({
    ...diffQuery(id, { kind: left_kind, id: left ?? '' }, { kind: right_kind, id: right ?? '' }),
    enabled: left !== undefined && right !== undefined,
  });
  // What differs is asked for first: few reports are made at a time.
  const one = useSubject(left_kind, left, !diff.isFetching);
  const other = useSubject(right_kind, right, !diff.isFetching);
  const show = (next: DiffSearch) => void navigate({ to: '.', search: () => ({ ...next }) });
  return (
    <Page title={t('access.diff_title')} about={t('access.diff_about')}>
      <Stack gap="lg">
        <div className={classes.sides}>
          <Side
            legend={t('access.left')}
            value={choiceOf(left_kind, left)}
            known={one}
            onChange={({ kind, subject }) => {
              const { left: _, ...rest } = search;
              show({
                ...rest,
                ...(kind === undefined ? {} : { left_kind: kind }),
                ...(subject === undefined ? {} : { left: subject }),
              });
            }}
          />
          <Side
            legend={t('access.right')}
            value={choiceOf(right_kind, right)}
            known={other}
            onChange={({ kind, subject }) => {
              const { right: _, ...rest } = search;
              show({
                ...rest,
                ...(kind === undefined ? {} : { right_kind: kind }),
                ...(subject === undefined ? {} : { right: subject }),
              });
            }}
          />
        </div>
        {(left === undefined || right === undefined) && (
          <Text c="dimmed">{t('access.choose_two')}</Text>
        )}
        {diff.isError && <Problem error={diff.error} onRetry={() => void diff.refetch()} />}
        {left !== undefined && right !== undefined && diff.isPending && <Loading height={200} />}
        {diff.data !== undefined && (
          <Differences
            diff={diff.data}
            left={one === undefined ? t('access.left') : subjectName(one)}
            right={other === undefined ? t('access.right') : subjectName(other)}
          />
        )}
      </Stack>
    </Page>
  );
}

const choiceOf = (
  kind: NonNullable<SubjectChoice['kind']>,
  subject: string | undefined,
): SubjectChoice => ({ kind, ...(subject === undefined ? {} : { subject }) });

/** Returns the record of a chosen subject, once it is read. */
function useSubject(
  kind: NonNullable<SubjectChoice['kind']>,
  subject: string | undefined,
  isNext: boolean,
): Subject | undefined {
  const { id } = useOrganization();
  const { data } = useQuery({
    ...accessQuery(id, { kind, id: subject ?? '' }),
    enabled: subject !== undefined && isNext,
  });
  return data?.subject;
}

const Side = ({
  legend,
  ...field
}: {
  legend: string;
  value: SubjectChoice;
  known: Subject | undefined;
  onChange(choice: SubjectChoice): void;
}) => (
  <fieldset className="plain">
    <legend>
      <Text span fw={600}>
        {legend}
      </Text>
    </legend>
    <SubjectField {...field} />
  </fieldset>
);

function Differences({
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

/** What only one side has: permissions, what it may use over MCP, and items. */
function Only({ name, differences }: { name: string; differences: readonly Difference[] }) {
  const { t } = useTranslation();
  const titles = useTeamTitles();
  const heading = useId();
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
    <section className="card" aria-labelledby={heading}>
      <div className="list-row">
        <Title order={2} size="h3" id={heading}>
          {t('access.only', { name, count: differences.length })}
        </Title>
        {groups.length === 0 && (
          <Text size="sm" c="dimmed">
            {t('access.only_nothing')}
          </Text>
        )}
        {groups.map(({ title, names }) => (
          <div key={title}>
            <Text size="sm" c="dimmed" mt="sm">
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
    </section>
  );
}
