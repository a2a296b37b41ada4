import {
  everyTeam,
  names,
  ownerOnly,
  ungrantable,
  withImplied,
  withoutScope,
} from './permissions.ts';
import type { Row } from './table.ts';

/** What a caller may do, according to the specification. */
export interface CallerAuthority {
  /** A `connection` acts for a person, a `machine` for its organization; both send tokens. */
  kind: 'anonymous' | 'session' | 'key' | 'organization-key' | 'connection' | 'machine';
  /** Permissions granted for the personal space; null without a grant. A session needs no grant. */
  personal: readonly string[] | null;
  /**
   * In the organization: permissions that the person holds there or in the team, and permissions
   * that the credential carries. Null for a person who is not a member, and for a credential
   * without a grant for the organization. An organization's own key holds all that it carries; a
   * session carries all that it holds.
   */
  organization: {
    held: readonly string[] | 'all';
    carried: readonly string[] | 'all';
    isOwner?: boolean;
  } | null;
  /** Whether the person has a seat in the team, or the credential is active in it. */
  inTeam: boolean;
}

/** Status and code of an error, with the permission that a 403 names. */
export type Refusal = readonly [status: number, code: string, permission?: string];

const absent: Refusal = [404, 'not_found'];
const denied = (permission: string): Refusal => [403, 'permission_denied', permission];
const beyondScope = (permission: string): Refusal => [403, 'insufficient_scope', permission];
const isToken = (kind: CallerAuthority['kind']) => kind === 'connection' || kind === 'machine';
const isKey = (kind: CallerAuthority['kind']) => kind === 'key' || kind === 'organization-key';
const actsForNobody = (kind: CallerAuthority['kind']) =>
  kind === 'organization-key' || kind === 'machine';

/** Returns how a request for a route is refused; null if it is allowed. */
export function refusalOf({ path, needs, who }: Row, caller: CallerAuthority): Refusal | null {
  if (needs === 'public') return null;
  if (caller.kind === 'anonymous') return [401, 'authentication_required'];
  if (who === 'session' && caller.kind !== 'session') return [403, 'interactive_only'];
  if (who === 'token' && isKey(caller.kind)) return [403, 'interactive_only'];
  if (needs === 'self' || needs === 'caller') return null;
  // Auditing is a permission in the organization, also about a team.
  if (path.includes('{team_id}') && needs !== withoutScope) return inTeam(needs, caller);
  if (path.includes('{organization_id}')) return inOrganization({ needs, who }, caller);
  return inPersonalSpace(needs, caller);
}

function inPersonalSpace(needs: string, { kind, personal }: CallerAuthority): Refusal | null {
  if (kind === 'session') return null;
  if (personal === null) return [401, 'invalid_credential'];
  if (needs === 'some-grant' || withImplied(personal).has(needs)) return null;
  // A permission that has no grant name is reported by its name in the model.
  const [verb, noun] = needs.split(':');
  const name = ungrantable.includes(needs) ? `${noun}_${verb}` : needs;
  return isToken(kind) ? beyondScope(name) : denied(name);
}

function inOrganization(
  { needs, who }: Pick<Row, 'needs' | 'who'>,
  caller: CallerAuthority,
): Refusal | null {
  const { kind, organization } = caller;
  if (organization === null) return absent;
  if (needs === 'member' || needs === 'own-me') return null;
  if (isToken(kind) && needs === withoutScope) return denied(needs);
  if (isToken(kind) && !fullSet(organization.carried).has(needs)) return beyondScope(needs);
  if (who === 'person' && actsForNobody(kind)) return denied(needs);
  const permissions = permissionsOf(organization);
  const isHeld = (name: string) =>
    ownerOnly.includes(name) ? organization.isOwner === true : permissions.has(name);
  const missing = needs.split('+').find((name) => !isHeld(name));
  return missing === undefined ? null : denied(missing);
}

function inTeam(needs: string, caller: CallerAuthority): Refusal | null {
  const { kind, organization } = caller;
  if (organization === null) return absent;
  const permissions = permissionsOf(organization);
  // A credential also needs a binding to the team (SC3).
  const managesEvery = kind === 'session' && permissions.has(everyTeam);
  const isInside = caller.inTeam || managesEvery;
  if (needs === 'seat')
    return isInside || permissions.has('can_view_organization_teams') ? null : absent;
  if (!isInside) return absent;
  if (needs === 'inside') return null;
  if (isToken(kind) && !fullSet(organization.carried).has(needs)) return beyondScope(needs);
  return permissions.has(needs) ? null : denied(needs);
}

/** Returns the permissions that are both held and carried, directly or by implication. */
const permissionsOf = ({
  held,
  carried,
}: NonNullable<CallerAuthority['organization']>): ReadonlySet<string> =>
  fullSet(held).intersection(fullSet(carried));

const everything = [...names.organization, ...names.team];
const fullSet = (granted: readonly string[] | 'all') =>
  withImplied(granted === 'all' ? everything : granted);
