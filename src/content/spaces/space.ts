import { ownAccountOf } from '../../caller/principal.ts';
import type { Principal, QuotaOwner } from '../../caller/principal.ts';
import type { ScopeRef } from '../../caller/scope.ts';
import { TeamName } from '../../policies/item-name.ts';

/**
 * The identity of a space, which holds content. Its id is that of the account, membership, team or
 * organization it belongs to, so it never has to be looked up.
 */
export type SpaceIdentity = { readonly id: string } & (
  | { readonly kind: 'personal'; readonly account_id: string }
  | { readonly kind: 'member'; readonly account_id: string; readonly organization_id: string }
  | { readonly kind: 'team'; readonly organization_id: string; readonly team_id: string }
  | { readonly kind: 'organization'; readonly organization_id: string }
);

type TeamIdentity = Extract<SpaceIdentity, { kind: 'team' }>;

/**
 * A space with its quota owner, whose plan limits its contents. A team's space has its name too.
 */
export type Space = {
  readonly quota_owner: QuotaOwner;
  /**
   * The account for which it is read, whose own connections to upstreams requests may use; null for
   * a credential of an organization.
   */
  readonly person: string | null;
} & (Exclude<SpaceIdentity, TeamIdentity> | (TeamIdentity & { readonly name: TeamName }));

export type TeamSpace = Extract<Space, { kind: 'team' }>;

/**
 * Returns the personal space of a principal. Throws if the principal acts in an organization, where
 * it has another space and another quota owner.
 */
export function personalSpaceOf(
  principal: Pick<Principal, 'context' | 'person' | 'quota_owner'>,
): Space {
  const { account_id, quota_owner } = ownAccountOf(principal);
  return { id: account_id, kind: 'personal', account_id, person: account_id, quota_owner };
}

/** Returns a principal's space by id: the account's personal space, or one in its organization. */
export function spaceIn(
  principal: Pick<Principal, 'context' | 'person' | 'quota_owner' | 'organization' | 'scopes'>,
  { id, team }: { id: string; team: string },
): Space {
  const { organization, person, quota_owner, scopes } = principal;
  if (organization === null || id === person) return personalSpaceOf(principal);
  const shared = { id, organization_id: organization.id, person, quota_owner };
  if (id === organization.id) return { ...shared, kind: 'organization' };
  if (person !== null && scopes.some((scope) => scope.kind === 'membership' && scope.id === id))
    return { ...shared, kind: 'member', account_id: person };
  return { ...shared, kind: 'team', team_id: id, name: TeamName.parse(team) };
}

/** Returns the scope whose content revision every edit of the space raises. */
export function scopeOf(space: SpaceIdentity): ScopeRef {
  if (space.kind === 'personal') return { kind: 'account', id: space.account_id };
  if (space.kind === 'member') return { kind: 'membership', id: space.id };
  return { kind: 'organization', id: space.organization_id };
}
