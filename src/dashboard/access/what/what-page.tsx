import { Button, Group, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { SubjectAccess, SubjectKind } from '../../../explorer/schema.ts';
import { FAMILIES, ItemLists } from '../../keys/item-lists.tsx';
import type { ShownItem } from '../../keys/item-lists.tsx';
import { Problem } from '../../organizations/parts/problem.tsx';
import { useOrganization } from '../../organizations/use-organization.ts';
import { Loading } from '../../parts/loading.tsx';
import { Page } from '../../parts/page.tsx';
import { listOf } from '../../texts/texts.ts';
import classes from '../access.module.css';
import { CALLER_KINDS } from '../access-search.ts';
import { accessQuery } from '../access.ts';
import { reasonText } from '../power-words.ts';
import { SubjectFacts } from '../subjects/subject-facts.tsx';
import { SubjectField } from '../subjects/subject-field.tsx';
import { subjectName } from '../subjects/subjects.ts';
import { Permissions } from './permissions.tsx';

const route = getRouteApi('/app/org/$organizationId/access/');

/** What one subject may do and see; the address names it. */
export function WhatPage() {
  const { t } = useTranslation();
  const { id } = useOrganization();
  const search = route.useSearch();
  const navigate = useNavigate();
  const { kind = 'member', subject } = search;
  const access = useQuery({
    ...accessQuery(id, { kind, id: subject ?? '' }),
    enabled: subject !== undefined,
  });
  return (
    <Page title={t('access.what_title')} about={t('access.what_about')}>
      <Stack gap="lg">
        <SubjectField
          value={search}
          known={access.data?.subject}
          onChange={(choice) => void navigate({ to: '.', search: () => ({ ...choice }) })}
        />
        {subject === undefined && <Text c="dimmed">{t('access.choose_subject')}</Text>}
        {access.isError && <Problem error={access.error} onRetry={() => void access.refetch()} />}
        {subject !== undefined && access.isPending && <Loading height={240} />}
        {access.data !== undefined && <Access kind={kind} access={access.data} />}
      </Stack>
    </Page>
  );
}

/** What is said about the items of subjects that are no credentials. */
const NOTES = {
  member: 'access.items_of_member',
  role: 'access.items_of_role',
  team: 'access.items_of_team',
} as const;

function Access({ kind, access }: { kind: SubjectKind; access: SubjectAccess }) {
  const { t } = useTranslation();
  const { id } = useOrganization();
  const { subject, counts } = access;
  const isCaller = CALLER_KINDS.some((one) => one === kind);
  const note = kind === 'member' || kind === 'role' || kind === 'team' ? NOTES[kind] : null;
  return (
    <>
      <Group justify="space-between" gap="xs">
        <Title order={2}>
          <bdi>{subjectName(subject)}</bdi>
        </Title>
        <Group gap="xs">
          {isCaller && (
            <Button
              variant="default"
              size="xs"
              renderRoot={(props) => (
                <Link
                  to="/app/org/$organizationId/access/explain"
                  params={{ organizationId: id }}
                  search={{ kind, subject: subject.id }}
                  {...props}
                />
              )}
            >
              {t('access.tab_explain')}
            </Button>
          )}
          {isCaller && (
            <Button
              variant="default"
              size="xs"
              renderRoot={(props) => (
                <Link
                  to="/app/org/$organizationId/access/decisions"
                  params={{ organizationId: id }}
                  search={{ subject: subject.id }}
                  {...props}
                />
              )}
            >
              {t('access.decisions_title')}
            </Button>
          )}
          <Button
            variant="default"
            size="xs"
            renderRoot={(props) => (
              <Link
                to="/app/org/$organizationId/access/compare"
                params={{ organizationId: id }}
                search={{ left_kind: kind, left: subject.id }}
                {...props}
              />
            )}
          >
            {t('access.tab_compare')}
          </Button>
        </Group>
      </Group>
      <SubjectFacts access={access} />
      {kind !== 'team' && (
        <section aria-labelledby="permissions">
          <Title order={2} id="permissions" mb="sm">
            {t('key_form.permissions')}
          </Title>
          <Permissions access={access} />
        </section>
      )}
      <section aria-labelledby="items">
        <Title order={2} id="items" mb="sm">
          {t('access.items')}
        </Title>
        <Stack gap="sm">
          {note !== null && (
            <Text size="sm" c="dimmed">
              {t(note)}
            </Text>
          )}
          {kind !== 'role' && (
            <>
              <Text fw={600} role="status">
                {listOf(
                  FAMILIES.map((family) =>
                    t(`preview.${family}`, { count: counts.visible[family] }),
                  ),
                )}
              </Text>
              <ItemLists
                items={access}
                reasonText={(reason) => reasonText(reason, t)}
                linksOf={(item) => <ItemLinks item={item} kind={kind} subject={subject.id} />}
              />
            </>
          )}
        </Stack>
      </section>
    </>
  );
}

/** Leads to who else can use an item and, of a credential, to why it can or cannot. */
function ItemLinks({
  item: { family, id: item, name },
  kind,
  subject,
}: {
  item: ShownItem;
  kind: SubjectKind;
  subject: string;
}) {
  const { t } = useTranslation();
  const { id } = useOrganization();
  const isCredential = kind !== 'member' && kind !== 'team';
  return (
    <Text span size="sm" c="dimmed" className={classes.links}>
      {isCredential && (
        <Link
          to="/app/org/$organizationId/access/explain"
          params={{ organizationId: id }}
          search={{ kind, subject, about: 'item', family, item }}
          className="quiet-link"
          aria-label={t('access.why_of', { name })}
        >
          {t('access.why')}
        </Link>
      )}
      <Link
        to="/app/org/$organizationId/access/who"
        params={{ organizationId: id }}
        search={{ about: 'item', family, item }}
        className="quiet-link"
        aria-label={t('access.who_else_of', { name })}
      >
        {t('access.who_else')}
      </Link>
    </Text>
  );
}
