import { Button, Group, Stack, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { Problem } from '../../organizations/parts/problem.tsx';
import { useOrganization } from '../../organizations/use-organization.ts';
import { DownloadButton } from '../../parts/download-button.tsx';
import { Loading } from '../../parts/loading.tsx';
import { Page } from '../../parts/page.tsx';
import { useTupleNames } from '../evidence/tuple-words.ts';
import { DecisionFilterFields } from './decision-filters.tsx';
import { DecisionRow } from './decision-row.tsx';
import { decisionFile, decisionsQuery } from './decisions.ts';
import type { DecisionFilters } from './decisions.ts';
import { MoreButton } from '../../parts/more-button.tsx';

const route = getRouteApi('/app/org/$organizationId/access/decisions');

/** What was decided, newest first; the filters are in the address. */
export function DecisionsPage() {
  const { t } = useTranslation();
  const { id } = useOrganization();
  const filters = route.useSearch();
  const navigate = route.useNavigate();
  const { teamOf } = useTupleNames(t);
  const list = useInfiniteQuery(decisionsQuery(id, filters));
  const all = list.data?.pages.flatMap(({ data }) => data) ?? [];
  const show = (next: DecisionFilters) =>
    void navigate({ search: () => ({ ...next }), replace: true });
  const { subject, ...others } = filters;
  const isFiltered = Object.keys(filters).length > 0;
  return (
    <Page
      title={t('access.decisions_title')}
      about={t('access.decisions_about')}
      actions={
        <DownloadButton href={decisionFile(id, filters)}>{t('audit.download')}</DownloadButton>
      }
    >
      <Stack>
        <DecisionFilterFields key={JSON.stringify(filters)} filters={filters} onChange={show} />
        {subject !== undefined && (
          <Group gap="xs">
            <Text size="sm">{t('access.one_subject')}</Text>
            <Button size="compact-sm" variant="default" onClick={() => show(others)}>
              {t('access.all_subjects')}
            </Button>
          </Group>
        )}
        {list.isError && <Problem error={list.error} onRetry={() => void list.refetch()} />}
        {list.isPending && <Loading height={240} />}
        {list.isSuccess && all.length === 0 && (
          <Stack className="card empty" align="start">
            <Text>{t(isFiltered ? 'audit.none_match' : 'access.decisions_none')}</Text>
            {isFiltered && (
              <Button variant="default" onClick={() => show({})}>
                {t('audit.clear')}
              </Button>
            )}
          </Stack>
        )}
        {all.length > 0 && (
          <ul className="card list steps" aria-label={t('access.decisions_list')}>
            {all.map((one) => (
              <DecisionRow key={one.id} decision={one} teamOf={teamOf} />
            ))}
          </ul>
        )}
        <MoreButton list={list} />
      </Stack>
    </Page>
  );
}
