import { Select, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { AccessQuestion, SubjectAccess, SubjectKind } from '../../../explorer/schema.ts';
import { pathOf, wholeQuery } from '../../organizations/organizations.ts';
import { Problem } from '../../organizations/parts/problem.tsx';
import type { Team } from '../../organizations/teams/teams.ts';
import { useOrganization } from '../../organizations/use-organization.ts';
import filters from '../../parts/filters.module.css';
import { Page } from '../../parts/page.tsx';
import { shortId } from '../../parts/short-id.ts';
import { CALLER_KINDS } from '../access-search.ts';
import type { ExplainSearch, Family } from '../access-search.ts';
import { accessQuery } from '../access.ts';
import { AboutField } from '../about-field.tsx';
import { ItemField } from '../item-field.tsx';
import { PermissionField } from '../permission-field.tsx';
import { isInTeams, permissionText } from '../power-words.ts';
import { SubjectField } from '../subjects/subject-field.tsx';
import { subjectName } from '../subjects/subjects.ts';
import { Verdict } from './verdict.tsx';

const route = getRouteApi('/app/org/$organizationId/access/explain');

/** Why a subject has, or lacks, a permission or an item; the address names both. */
export function ExplainPage() {
  const { t } = useTranslation();
  const { id } = useOrganization();
  const search = route.useSearch();
  const navigate = useNavigate();
  const { kind = 'member', subject } = search;
  const isItem = search.about === 'item';
  const access = useQuery({
    ...accessQuery(id, { kind, id: subject ?? '' }),
    enabled: subject !== undefined,
  });
  const show = (next: ExplainSearch) => void navigate({ to: '.', search: () => ({ ...next }) });
  const { kind: _, subject: __, ...power } = search;
  const chosen = { kind, ...(subject === undefined ? {} : { subject }) };
  return (
    <Page title={t('access.explain_title')} about={t('access.explain_about')}>
      <Stack gap="md">
        <SubjectField
          kinds={CALLER_KINDS}
          value={search}
          known={access.data?.subject}
          onChange={(choice) => show({ ...power, ...choice })}
        />
        <AboutField
          isItem={isItem}
          onChange={(about) => show({ ...chosen, ...(about === 'item' ? { about } : {}) })}
        />
        {isItem ? (
          <ItemChoice
            kind={kind}
            access={access.data}
            search={search}
            onChange={(choice) => show({ ...chosen, about: 'item', ...choice })}
          />
        ) : (
          <PermissionChoice search={search} onChange={(choice) => show({ ...chosen, ...choice })} />
        )}
        {access.isError && <Problem error={access.error} onRetry={() => void access.refetch()} />}
        <Answer search={search} access={access.data} />
      </Stack>
    </Page>
  );
}

/** A permission and, of those in teams, the team. */
function PermissionChoice({
  search: { permission, team },
  onChange,
}: {
  search: ExplainSearch;
  onChange(choice: { permission: string; team?: string }): void;
}) {
  const { t } = useTranslation();
  const { id } = useOrganization();
  const { data: teams = [] } = useQuery(wholeQuery<Team>(pathOf(id, '/teams')));
  const options = teams.map((one) => ({ value: one.id, label: one.title }));
  const isListed = team === undefined || options.some(({ value }) => value === team);
  return (
    <div className={filters.filters}>
      <PermissionField
        value={permission ?? null}
        onChange={(name) =>
          onChange({
            permission: name,
            ...(team !== undefined && isInTeams(name) ? { team } : {}),
          })
        }
      />
      {permission !== undefined && isInTeams(permission) && (
        <Select
          label={t('access.kind_team')}
          placeholder={t('access.search')}
          searchable
          allowDeselect={false}
          data={isListed ? options : [...options, { value: team, label: shortId(team) }]}
          nothingFoundMessage={t('picker.no_match')}
          value={team ?? null}
          onChange={(chosen) => {
            if (chosen !== null) onChange({ permission, team: chosen });
          }}
        />
      )}
    </div>
  );
}

/** An item of those that the subject sees, or that are hidden from it; the viewer knows these. */
function ItemChoice({
  kind,
  access,
  search: { family = 'tools', item },
  onChange,
}: {
  kind: SubjectKind;
  access: SubjectAccess | undefined;
  search: ExplainSearch;
  onChange(choice: { family: Family; item?: string }): void;
}) {
  const { t } = useTranslation();
  if (kind === 'member') return <Text c="dimmed">{t('access.member_items')}</Text>;
  const options = optionsOf(access, family);
  const found = options.find(({ value, label }) => value === item || label === item);
  return (
    <div className={filters.filters}>
      <ItemField
        family={family}
        item={found?.value ?? item}
        options={options}
        onChange={onChange}
      />
    </div>
  );
}

function optionsOf(access: SubjectAccess | undefined, family: Family) {
  if (access === undefined) return [];
  const hidden = access.hidden.filter((one) => `${one.family}s` === family);
  return [...access.visible[family].filter((one) => !('system' in one)), ...hidden]
    .map(({ id, name }) => ({ value: id, label: name }))
    .toSorted((a, b) => a.label.localeCompare(b.label));
}

/** Explains once all is chosen. An address may name an item as agents do. */
function Answer({ search, access }: { search: ExplainSearch; access: SubjectAccess | undefined }) {
  const { t } = useTranslation();
  const { id } = useOrganization();
  const { data: teams = [] } = useQuery(wholeQuery<Team>(pathOf(id, '/teams')));
  const { kind = 'member', subject, about, permission, team, family = 'tools', item } = search;
  const choose = <Text c="dimmed">{t('access.choose_question')}</Text>;
  if (subject === undefined) return choose;
  const who = { kind, id: subject };
  const name = access === undefined ? shortId(subject) : subjectName(access.subject);
  if (about === 'item') {
    if (item === undefined || kind === 'member') return kind === 'member' ? null : choose;
    const found = optionsOf(access, family).find(
      ({ value, label }) => value === item || label === item,
    );
    // Its id is known only once the lists are read.
    if (found === undefined && access === undefined) return null;
    const question: AccessQuestion = { subject: who, item: { family, id: found?.value ?? item } };
    return <Verdict question={question} subject={name} power={found?.label ?? item} />;
  }
  if (permission === undefined) return choose;
  if (isInTeams(permission) && team === undefined) return choose;
  const inTeam = teams.find((one) => one.id === team)?.title;
  const words = permissionText(permission, t);
  const question: AccessQuestion = {
    ...{ subject: who, permission },
    ...(team !== undefined && isInTeams(permission) ? { team_id: team } : {}),
  };
  return (
    <Verdict
      question={question}
      subject={name}
      power={inTeam === undefined ? words : `${words} (${inTeam})`}
    />
  );
}
