import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { Subject } from '../../../explorer/schema.ts';
import { Problem } from '../../organizations/parts/problem.tsx';
import { useOrganization } from '../../organizations/use-organization.ts';
import { Loading } from '../../parts/loading.tsx';
import classes from '../access.module.css';
import type { DiffSearch, SubjectChoice } from '../access-search.ts';
import { accessQuery, diffQuery } from '../access.ts';
import { SubjectField } from '../subjects/subject-field.tsx';
import { subjectName } from '../subjects/subjects.ts';
import { Differences } from './differences.tsx';

/** Compares two subjects. */
export function SubjectDiff({
  search,
  onChange,
}: {
  search: DiffSearch;
  onChange(next: DiffSearch): void;
}) {
  const { t } = useTranslation();
  const { id } = useOrganization();
  const { left_kind = 'member', left, right_kind = 'member', right } = search;
  const diff = useQuery({
    ...diffQuery(
      id,
      { subject: { kind: left_kind, id: left ?? '' } },
      { subject: { kind: right_kind, id: right ?? '' } },
    ),
    enabled: left !== undefined && right !== undefined,
  });
  // What differs is asked for first: few reports are made at a time.
  const one = useSubject(left_kind, left, !diff.isFetching);
  const other = useSubject(right_kind, right, !diff.isFetching);
  return (
    <>
      <div className={classes.sides}>
        <Side
          legend={t('access.left')}
          value={choiceOf(left_kind, left)}
          known={one}
          onChange={({ kind, subject }) => {
            const { left: _, ...rest } = search;
            onChange({
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
            onChange({
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
    </>
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
