import { queryOptions } from '@tanstack/react-query';
import type { MemberCredential } from '../../../keys/member-credentials/schema.ts';
import type { MemberRecord } from '../../../organizations/members/schema.ts';
import { request } from '../../api/request.ts';
import { pagedQuery, pathOf } from '../organizations.ts';

export type Member = MemberRecord;

export const membersQuery = (id: string, q: string) =>
  pagedQuery<Member>(pathOf(id, '/members'), { q });

/** The list is the only answer with members, so that it is read until the member is found. */
export const memberQuery = (id: string, account_id: string) =>
  queryOptions({
    queryKey: ['member', id, account_id],
    async queryFn({ signal }): Promise<Member | null> {
      for (let cursor = ''; ;) {
        const page = await request<{ data: Member[]; next_cursor: string | null }>(
          `${pathOf(id, '/members')}?limit=200${cursor}`,
          { signal },
        );
        const found = page.data.find((member) => member.account_id === account_id);
        if (found !== undefined || page.next_cursor === null) return found ?? null;
        cursor = `&cursor=${encodeURIComponent(page.next_cursor)}`;
      }
    },
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
