import { queryOptions } from '@tanstack/react-query';
import type { Subject, SubjectKind } from '../../../explorer/schema.ts';
import type { MemberCredential } from '../../../keys/member-credentials/schema.ts';
import type { ConnectionRecord } from '../../../oauth/connections/schema.ts';
import { readAll } from '../../api/lists.ts';
import { request } from '../../api/request.ts';
import { personName } from '../../organizations/members/members.ts';
import type { Member } from '../../organizations/members/members.ts';
import { pathOf } from '../../organizations/organizations.ts';
import type { Team } from '../../organizations/teams/teams.ts';
import { shortId } from '../../parts/short-id.ts';

/** A subject that can be chosen. */
export interface SubjectOption {
  value: string;
  label: string;
  /** Tells it from others with the same name. */
  note?: string | undefined;
}

interface Named {
  id: string;
  name: string;
}

/** Options that a search returns; typing finds the others. */
const LIMIT = '50';

/** Subjects of a kind that match a text; keys of members need their owner. */
export const subjectsQuery = (
  organization_id: string,
  { kind, q, owner }: { kind: SubjectKind; q: string; owner: string | null },
) =>
  queryOptions({
    queryKey: ['access', organization_id, 'subjects', kind, q, owner],
    queryFn: ({ signal }) => readSubjects(organization_id, { kind, q, owner, signal }),
    enabled: kind !== 'key' || owner !== null,
  });

/** What a person needs to list the subjects of a kind; every member may list teams. */
export const NEEDED: Readonly<Record<SubjectKind, string | null>> = {
  member: 'can_view_organization_members',
  key: 'can_view_organization_api_keys',
  organization_key: 'can_view_organization_api_keys',
  connection: 'can_view_organization_oauth_clients',
  client: 'can_view_organization_oauth_clients',
  role: 'can_view_organization_roles',
  team: null,
};

/** Whether the service searches subjects of a kind; of the others, all are read. */
export const isSearched = (kind: SubjectKind) => kind === 'member' || kind === 'organization_key';

async function readSubjects(
  organization_id: string,
  {
    kind,
    q,
    owner,
    signal,
  }: { kind: SubjectKind; q: string; owner: string | null; signal: AbortSignal },
): Promise<SubjectOption[]> {
  const path = (rest: string) => pathOf(organization_id, rest);
  const find = async <Entry>(list: string) => {
    const query = new URLSearchParams({ limit: LIMIT, ...(q === '' ? {} : { q }) });
    return (await request<{ data: Entry[] }>(`${path(list)}?${query}`, { signal })).data;
  };
  if (kind === 'member') return (await find<Member>('/members')).map(optionOfMember);
  if (kind === 'organization_key') return (await find<Named>('/keys')).map(optionOf);
  if (kind === 'key') {
    const all = await readAll<MemberCredential>(path(`/members/${owner}/credentials`), signal);
    return all.filter((one) => one.kind === 'api_key').map(optionOf);
  }
  if (kind === 'role') return (await readAll<Named>(path('/roles'), signal)).map(optionOf);
  if (kind === 'team')
    return (await readAll<Team>(path('/teams'), signal)).map(({ id, title }) => ({
      ...{ value: id, label: title },
    }));
  const all = await readAll<ConnectionRecord>(path('/connections'), signal);
  return all
    .filter((one) => (one.kind === 'machine') === (kind === 'client'))
    .map(({ id, client, account }) => ({
      ...{ value: id, label: client.name, note: account?.email ?? undefined },
    }));
}

const optionOf = ({ id, name }: Named): SubjectOption => ({ value: id, label: name });

function optionOfMember(member: Member): SubjectOption {
  const label = member.email ?? personName(member);
  const name = personName(member);
  return { value: member.account_id, label, ...(name === label ? {} : { note: name }) };
}

/** Returns what a subject is called. */
export const subjectName = ({ name, owner, id }: Pick<Subject, 'name' | 'owner' | 'id'>): string =>
  name ?? owner?.email ?? shortId(id);
