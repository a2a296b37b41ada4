import { personOf } from '../../caller/principal.ts';
import type { Principal, QuotaOwner } from '../../caller/principal.ts';
import type { ScopeRef } from '../../caller/scope.ts';

/**
 * The identity of a space: where content lives. Its id is that of what it belongs to, so that the
 * space of an account, a membership, a team or an organization is never looked up.
 */
export type SpaceIdentity = { readonly id: string } & (
  | { readonly kind: 'personal'; readonly account_id: string }
  | { readonly kind: 'member'; readonly account_id: string; readonly organization_id: string }
  | { readonly kind: 'team'; readonly organization_id: string; readonly team_id: string }
  | { readonly kind: 'organization'; readonly organization_id: string }
);

/** A space with the quota owner whose plan bounds what it holds. */
export type Space = SpaceIdentity & { readonly quota_owner: QuotaOwner };

/** The space of a person on their own. */
export function personalSpaceOf(principal: Pick<Principal, 'person' | 'quota_owner'>): Space {
  const account_id = personOf(principal);
  return { id: account_id, kind: 'personal', account_id, quota_owner: principal.quota_owner };
}

/** The scope whose content revision every edit of the space raises. */
export function scopeOf(space: SpaceIdentity): ScopeRef {
  if (space.kind === 'personal') return { kind: 'account', id: space.account_id };
  if (space.kind === 'member') return { kind: 'membership', id: space.id };
  return { kind: 'organization', id: space.organization_id };
}
