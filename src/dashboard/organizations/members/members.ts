import { queryOptions } from '@tanstack/react-query';
import type { MemberCredential } from '../../../keys/member-credentials/schema.ts';
import type { MemberRecord } from '../../../organizations/members/schema.ts';
import { request } from '../../api/request.ts';
import { pagedQuery, pathOf } from '../organizations.ts';

export type Member = MemberRecord;

export const membersQuery = (id: string, q: string) =>
  pagedQuery<Member>(pathOf(id, '/members'), { q });

export const memberQuery = (id: string, account_id: string) =>
  queryOptions({
    queryKey: ['member', id, account_id],
    queryFn: ({ signal }) => request<Member>(pathOf(id, `/members/${account_id}`), { signal }),
  });

export const credentialsQuery = (id: string, account_id: string) =>
  pagedQuery<MemberCredential>(pathOf(id, `/members/${account_id}/credentials`));

export const removeCredential = (id: string, account_id: string, one: MemberCredential) =>
  request<void>(pathOf(id, `/members/${account_id}/credentials/${one.kind}/${one.id}`), {
    method: 'DELETE',
  });

export const removeMember = (id: string, account_id: string) =>
  request<void>(pathOf(id, `/members/${account_id}`), { method: 'DELETE' });

interface Named {
  account_id: string;
  email: string | null;
  first_name: string | null;
  last_name: string | null;
}

/** Returns what a person is called in lists: their name, else their address. */
export const personName = ({ account_id, email, first_name, last_name }: Named): string =>
  [first_name, last_name].filter(Boolean).join(' ') || (email ?? account_id);
