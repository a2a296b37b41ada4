import type { SentRequest } from '../../../caller/route.ts';
import type { EntryRow } from '../entries-store.ts';

/** A request that makes a change, and the permission that it needs. */
export interface Making extends SentRequest {
  permission: string;
}

type Subject = Pick<EntryRow, 'kind' | 'subject_id' | 'account_id'>;

/** Returns the request that takes all access in an organization from a member or a credential. */
export function revokingOf(
  organization_id: string,
  { kind, subject_id, account_id }: Subject,
): Making {
  if (kind === 'member')
    return {
      operation_id: 'removeOrganizationMember',
      params: { organization_id, account_id: subject_id },
      permission: 'can_remove_organization_members',
    };
  if (kind === 'organization_key')
    return {
      operation_id: 'revokeOrganizationKey',
      params: { organization_id, key_id: subject_id },
      permission: 'can_revoke_organization_api_keys',
    };
  // It loses what it has in the organization; the person keeps the rest of it.
  if (kind === 'key')
    return {
      operation_id: 'removeMemberCredential',
      params: { organization_id, account_id, kind: 'api_key', id: subject_id },
      permission: 'can_revoke_organization_api_keys',
    };
  return {
    operation_id: 'revokeOrganizationConnection',
    params: { organization_id, connection_id: subject_id },
    permission: 'can_delete_organization_oauth_clients',
  };
}
