import {
  organizationRequirements,
  teamClosure,
  teamPermissionByGrant,
  withoutImplied,
} from '../authz/permissions.ts';
import type { Capability } from '../authz/permissions.ts';
import type { Principal } from '../caller/principal.ts';
import { loosenedBy } from '../caller/restrictions/restrictions.ts';
import type { ScopeState } from '../caller/scope.ts';
import { grantFor, unknownTeam } from '../organizations/organizations.ts';
import type { Delegation, DelegatedAuthority } from '../organizations/organizations.ts';
import type { Problem } from '../platform/errors/refusal.ts';
import { isUnchanged } from '../platform/unchanged.ts';
import { everyTeam, grantNotApplicable, notMember, organizationSuspended } from './rules.ts';
import type { Grant, KeyEdit } from './schema.ts';
import type { KeyOwner, KeyRow } from './store.ts';

/** The fields that decide from where, and when, the key may use what it was granted. */
type Widened = Pick<KeyRow, 'expires_at' | 'allowed_addresses' | 'hours'>;

/** The part of a draft or edit that concerns organizations. */
type Fields = 'grants' | 'mcp_capabilities' | 'team_ids' | keyof Widened;
type Sent = Pick<KeyEdit, Fields> & {
  /** The organization that the key runs in. */
  runs_in: string | null;
};
type Stored = Pick<KeyRow, Fields>;

/** The teams that a key is newly bound to, and whether it newly follows teams. */
interface Binding {
  team_ids: readonly string[];
  follows: boolean;
  /** Whether the key keeps at most the teams it is bound to. */
  narrows: boolean;
}
const NO_BINDING: Binding = { team_ids: [], follows: false, narrows: false };

/**
 * Returns the field of a body that stands for the organization in which a key runs. The body of an
 * organization's key does not name it; there, what the key can use is its only authority besides grants.
 */
export const homePointer = ({ kind }: Pick<KeyOwner, 'kind'>): string =>
  kind === 'account' ? '/org_scope' : '/mcp_capabilities';

const TEAMS = '/team_ids';
const EXPIRY = '/expires_at';

const bindingOf = ({ team_ids }: Sent, stored: Stored | null): Binding => ({
  team_ids: team_ids ?? [],
  follows: team_ids === null && (stored === null || stored.team_ids !== null),
  narrows: team_ids?.every((id) => stored?.team_ids?.includes(id)) === true,
});

/**
 * Authority newly granted to a key in one organization; `pointers` name the organization in the
 * body.
 */
interface NewlyDelegated extends Omit<DelegatedAuthority, 'acts_for_member'> {
  pointers: string[];
}

/**
 * Creates a function that returns the 422 problems of newly granting permissions and capabilities
 * in organizations to a key, and the scopes that the result depends on. What the key already has is
 * not checked again: it may be kept or removed, even after its person has left (G2, G5, C5).
 * Extending a key of an organization, or letting it work elsewhere, grants all of it again; extending
 * a person's key requires that the person is still a member.
 */
export function createDelegationRules({ delegation }: { delegation: Delegation }) {
  async function problemsIn(
    caller: Principal,
    { kind }: KeyOwner,
    organization_id: string,
    { pointers, ...authority }: NewlyDelegated,
    { team_ids, follows, narrows }: Binding,
  ): Promise<{ problems: Problem[]; scopes: readonly ScopeState[] }> {
    const member = await delegation.findGrantor(caller, organization_id);
    // A key can lose teams even where it can be given nothing.
    const added = pointers.filter((pointer) => !(narrows && pointer === TEAMS));
    if (member === null) return { problems: added.map(notMember), scopes: [] };
    const { scopes, organization } = member;
    if (organization.status === 'suspended' && added.length > 0)
      return { problems: added.map(organizationSuspended), scopes };
    const unreachable = await delegation.findUnreachableTeams(member, team_ids);
    const unknownTeams = team_ids.flatMap((id, index) =>
      unreachable.has(id) ? [unknownTeam(`/team_ids/${index}`)] : [],
    );
    // A key of the organization that follows its teams is in teams that its creator is not in.
    const isAboveCreator =
      kind === 'organization' && follows && (await delegation.findReachableTeams(member)) !== null;
    const inReach = authority.team_ids?.filter((id) => !unreachable.has(id)) ?? null;
    const problems = await delegation.problems(member, {
      ...{ ...authority, team_ids: inReach },
      acts_for_member: kind === 'account',
    });
    return {
      problems: [...(isAboveCreator ? [everyTeam()] : []), ...unknownTeams, ...problems],
      scopes,
    };
  }

  return async function checkDelegated(
    caller: Principal,
    owner: KeyOwner,
    sent: Sent,
    stored: Stored | null,
  ): Promise<{ problems: Problem[]; basis: readonly ScopeState[] }> {
    const widened = stored === null ? [] : widenedBy(sent, stored);
    if (stored !== null && owner.kind === 'organization' && widened[0] !== undefined) {
      const { grants, mcp_capabilities, team_ids } = stored;
      const merged = { ...{ grants, mcp_capabilities, team_ids }, ...sent };
      const pointer = `/${widened[0]}`;
      const { problems, basis } = await checkDelegated(caller, owner, merged, null);
      return { problems: problems.map((problem) => pointerInSent(problem, sent, pointer)), basis };
    }
    const foreignGrantProblems =
      owner.kind === 'account' ? [] : foreignGrants(owner.id, sent.grants ?? []);
    const delegated = newlyDelegated(homePointer(owner), sent, stored);
    if (owner.kind === 'organization')
      for (const id of delegated.keys()) if (id !== owner.id) delegated.delete(id);
    const found = await Promise.all(
      [...delegated].map(([organization_id, authority]) => {
        const binding = organization_id === sent.runs_in ? bindingOf(sent, stored) : NO_BINDING;
        return problemsIn(caller, owner, organization_id, authority, binding);
      }),
    );
    const misplaced = sent.runs_in === null ? (sent.team_ids ?? []) : [];
    return {
      problems: [
        ...foreignGrantProblems,
        ...found.flatMap(({ problems }) => problems),
        ...misplaced.map((_, index) => unknownTeam(`/team_ids/${index}`)),
      ],
      // The caller's own scope, as read by authentication, takes precedence.
      basis: [...found.flatMap(({ scopes }) => scopes), ...caller.scopes],
    };
  };
}

/**
 * Whether a key is extended, expired or not. The authority of an organization's key then outlives
 * what was granted; a person's own key is limited by what the person holds whenever it is used.
 */
const isExtended = ({ expires_at }: Sent, stored: Stored): boolean =>
  expires_at !== undefined &&
  stored.expires_at !== null &&
  (expires_at === null || Date.parse(expires_at) > Date.parse(stored.expires_at));

/** Returns the fields by which a key works longer, elsewhere, or at other times. */
const widenedBy = (sent: Sent, stored: Stored): (keyof Widened)[] => [
  ...(isExtended(sent, stored) ? (['expires_at'] as const) : []),
  ...loosenedBy(sent, stored),
];

/** Points at the field that widens the key instead of one that is not in the body. */
function pointerInSent(problem: Problem, sent: Sent, widened: string): Problem {
  const { pointer } = problem.detail as { pointer: string };
  const [, field = ''] = pointer.split('/');
  if (field in sent) return problem;
  return { ...problem, detail: { ...(problem.detail as object), pointer: widened } };
}

/** An organization's key cannot have grants for anything else. */
const foreignGrants = (organization_id: string, grants: readonly Grant[]): Problem[] =>
  grants.flatMap(({ scope }, index) =>
    scope.type === 'org' && scope.org_id === organization_id ? [] : [grantNotApplicable(index)],
  );

/** Returns what a key is newly granted in each organization. */
function newlyDelegated(
  home: string,
  sent: Sent,
  stored: Stored | null,
): Map<string, NewlyDelegated> {
  const delegated = new Map<string, NewlyDelegated>();
  const add = (organization_id: string, authority: NewlyDelegated) => {
    const other = delegated.get(organization_id) ?? NOTHING;
    delegated.set(organization_id, {
      pointers: [...other.pointers, ...authority.pointers],
      permissions: [...other.permissions, ...authority.permissions],
      capabilities: [...other.capabilities, ...authority.capabilities],
      team_ids: authority.team_ids ?? other.team_ids,
    });
  };
  const rebound = reboundAuthority(home, sent, stored);
  const capabilities = addedCapabilities(sent.mcp_capabilities ?? [], stored);
  const team_ids = (sent.team_ids === undefined ? stored?.team_ids : sent.team_ids) ?? null;
  if (sent.runs_in !== null && rebound !== null) add(sent.runs_in, { ...rebound, team_ids });
  else if (sent.runs_in !== null && (stored === null || capabilities.length > 0))
    add(sent.runs_in, { pointers: [home], permissions: [], capabilities, team_ids });
  if (sent.runs_in !== null && stored !== null && isExtended(sent, stored))
    add(sent.runs_in, { ...NOTHING, pointers: [EXPIRY] });
  for (const [index, grant] of (sent.grants ?? []).entries()) {
    if (grant.scope.type !== 'org') continue;
    const { org_id } = grant.scope;
    const before = grantFor(stored?.grants ?? [], org_id);
    const permissions = addedPermissions(grant, before, `/grants/${index}/permissions`);
    if (before === null || permissions.length > 0)
      add(org_id, {
        pointers: [`/grants/${index}/scope/org_id`],
        ...{ permissions, capabilities: [] },
        team_ids: org_id === sent.runs_in ? team_ids : null,
      });
  }
  return delegated;
}

const NOTHING: NewlyDelegated = {
  ...{ pointers: [], permissions: [], capabilities: [] },
  team_ids: null,
};

/**
 * Returns everything that a key has in its organization if its teams change, since what may be
 * granted depends on the teams (C5); null if they do not change.
 */
function reboundAuthority(
  home: string,
  sent: Sent,
  stored: Stored | null,
): Omit<NewlyDelegated, 'team_ids'> | null {
  const { team_ids } = sent;
  if (stored === null || team_ids === undefined || isUnchanged(stored.team_ids, team_ids))
    return null;
  const declared = sent.mcp_capabilities;
  const grant = sent.runs_in === null ? null : grantFor(stored.grants, sent.runs_in);
  const after = sent.runs_in === null ? null : grantFor(sent.grants ?? stored.grants, sent.runs_in);
  const required = new Set(withoutImplied(after?.permissions ?? []));
  const had = requiredFor(grant);
  const isWidened = addedCapabilities(declared ?? [], stored).length > 0;
  return {
    pointers: [TEAMS, ...(isWidened ? [home] : [])],
    capabilities: (declared ?? stored.mcp_capabilities).map((name, index) => ({
      ...{ name, pointer: declared === undefined ? TEAMS : `/mcp_capabilities/${index}` },
    })),
    // If the edit replaces the grant, its new permissions are checked separately. In no team, team
    // permissions that the key keeps have no effect, so that unbinding requires none of them.
    permissions: (after?.permissions ?? [])
      .filter((name) => required.has(name) && had.has(name))
      .filter((name) => team_ids?.length !== 0 || teamPermissionByGrant(name) === null)
      .map((name) => ({ name, pointer: TEAMS })),
  };
}

/**
 * Returns what a grant adds that its author must hold: nothing that it already implied. One without a
 * scope counts as added if what implied it is removed; see `contentAddedBy`.
 */
function addedPermissions({ permissions }: Grant, before: Grant | null, pointer: string) {
  const required = new Set(withoutImplied(permissions));
  const had = requiredFor(before);
  return permissions
    .map((name, index) => ({ name, pointer: `${pointer}/${index}` }))
    .filter(({ name }) => required.has(name) && !had.has(name));
}

/** Returns what the author of a grant had to hold, in the organization and its teams. */
function requiredFor(grant: Grant | null): ReadonlySet<string> {
  const names = new Set(grant?.permissions);
  return new Set([...organizationRequirements(names), ...teamClosure(names)]);
}

const addedCapabilities = (sent: readonly Capability[], stored: Stored | null) =>
  sent
    .map((name, index) => ({ name, pointer: `/mcp_capabilities/${index}` }))
    .filter(({ name }) => stored?.mcp_capabilities.includes(name) !== true);
