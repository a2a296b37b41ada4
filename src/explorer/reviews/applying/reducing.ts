import type { Principal } from '../../../caller/principal.ts';
import { isSession } from '../../../caller/principal.ts';
import type { UnusedAuthority } from '../../unused/schema.ts';
import type { EntryRow } from '../entries-store.ts';
import type { Making } from './revoking.ts';
import type { ByHandReason } from './schema.ts';

/** The requests that read a key and change it. */
export interface Reducing {
  read: { operation_id: string; params: object };
  change: Making;
}

/** Returns the requests that reduce a subject, or why only a person can. */
export function reducingOf(
  organization_id: string,
  { kind, subject_id: key_id, account_id }: EntryRow,
  { caller, unused }: { caller: Principal; unused: UnusedAuthority | undefined },
): Reducing | ByHandReason {
  if (kind === 'member') return 'member_roles';
  if (kind === 'connection' || kind === 'client') return 'authorized_scopes';
  const isOwn = isSession(caller) && caller.person === account_id;
  if (kind === 'key' && !isOwn) return 'key_of_member';
  if (unused === undefined) return 'nothing_unused';
  if (kind === 'key')
    return {
      read: { operation_id: 'getApiKey', params: { key_id } },
      change: {
        operation_id: 'updateApiKey',
        params: { key_id },
        permission: 'can_manage_keys',
      },
    };
  const params = { organization_id, key_id };
  return {
    read: { operation_id: 'getOrganizationKey', params },
    change: {
      operation_id: 'updateOrganizationKey',
      params,
      permission: 'can_update_organization_api_keys',
    },
  };
}
