import { accountColumns, membershipOf, principalOf } from '../../credentials/credentials.ts';
import type { OrganizationState, SessionPrincipal } from '../../caller/principal.ts';
import type { PrincipalRow } from '../../credentials/credentials.ts';
import type { Database } from '../../platform/postgres/database.ts';
import type { Holder } from '../grants/requirements.ts';
import type { MemberKey } from './store.ts';

/** A member whose permissions are checked without one of their credentials. */
export type MemberPrincipal = Holder & { organization: OrganizationState };

const MEMBER_QUERY = {
  name: 'member-principal',
  text: `
    SELECT row_to_json(member) AS member FROM (
      SELECT ${accountColumns}, ${membershipOf('requested.organization_id')} AS membership
      FROM (SELECT $1::uuid AS organization_id, $2::uuid AS account_id) AS requested
      JOIN account a ON a.id = requested.account_id AND a.status = 'active'
      JOIN authz_scope s ON s.kind = 'account' AND s.id = a.id
    ) member`,
};

type MemberRow = Pick<
  PrincipalRow<SessionPrincipal>,
  'context' | 'person' | 'quota_owner' | 'scopes' | 'membership'
>;

/**
 * Returns a member's principal, as a session of theirs would have it; null if the person is not a
 * member or the account is deactivated.
 */
export async function readMember(
  hot: Database['authPool'],
  { organization_id, account_id }: MemberKey,
): Promise<MemberPrincipal | null> {
  const { rows } = await hot.query<{ member: MemberRow }>({
    ...MEMBER_QUERY,
    values: [organization_id, account_id],
  });
  const row = rows[0]?.member;
  if (row === undefined) return null;
  const { organization, ...member } = principalOf({ kind: 'session', id: account_id }, row);
  return organization === null ? null : { ...member, organization };
}
