import { tokenGrantOf } from '../../caller/principal.ts';
import { markAsked, wasAsked } from './decisions.ts';
import type { Check, createDecisions } from './decisions.ts';
import { typeOf } from './evaluator.ts';
import { capabilities, everyTeamScope, permissions, scopeOfCapability } from '../permissions.ts';
import type { PermissionContext } from '../permissions.ts';

/** Where the permissions of an object's relations are. */
const CONTEXTS: Readonly<Record<string, PermissionContext>> = {
  account: 'personal',
  membership: 'organization',
  service: 'organization',
  team_seat: 'team',
};

/** The scope of each relation; null for a permission that no token can have. */
const SCOPES: ReadonlyMap<string, string | null> = new Map<string, string | null>(
  Object.entries(CONTEXTS).flatMap(([type, context]) => [
    ...capabilities.flatMap((one) =>
      ['can_use', 'role_mcp'].map(
        (relation) => [`${type} ${relation}_${one}`, scopeOfCapability(one)] as const,
      ),
    ),
    ...permissions[context].map(
      ({ relation, scope }) => [`${type} can_${relation}`, scope] as const,
    ),
  ]),
);

/**
 * Returns the scope that an access token lacks for a relation. Returns null if it has the scope, if no
 * scope gives the relation or none is needed, and for other credentials.
 *
 * Scopes are compared by their exact names. Only the scope for all team permissions stands for others
 * (SC1); it does not stand for capabilities.
 */
export function missingScope(caller: object, { object, relation }: Check): string | null {
  const scopes = tokenGrantOf(caller)?.scopes;
  if (scopes === undefined) return null;
  const type = typeOf(object);
  const scope = SCOPES.get(`${type} ${relation}`);
  if (scope == null || scopes.has(scope)) return null;
  const isTeamPermission = type === 'team_seat' && !relation.startsWith('role_mcp_');
  return isTeamPermission && scopes.has(everyTeamScope) ? null : scope;
}

/** Returns whether the teams that a token is bound to include the one of a seat. */
const isBoundTo = ({ team_ids }: { team_ids?: readonly string[] | null }, object: string) =>
  team_ids == null || team_ids.includes(object.slice(object.indexOf(':') + 1).split('.')[0]!);

type Decisions = ReturnType<typeof createDecisions>;

/** Bounds decisions by the caller's token, so that OpenFGA is asked only for what it allows. */
export const withinToken = (decisions: Decisions): Decisions => ({
  ...decisions,
  async check(caller, relations, object = caller.context) {
    if (tokenGrantOf(caller) === null) return decisions.check(caller, relations, object);
    const asked = relations.filter((relation) => !isBeyondToken(caller, { object, relation }));
    const answers = await decisions.check(caller, asked, object);
    if (asked.length === relations.length) return answers;
    // Another token of the same connection may have cached the others.
    const own = new Map(asked.map((relation) => [relation, answers.get(relation) === true]));
    return wasAsked(answers) ? markAsked(own) : own;
  },
  async checkEach(caller, checks) {
    if (tokenGrantOf(caller) === null) return decisions.checkEach(caller, checks);
    const asked = checks.filter((one) => !isBeyondToken(caller, one));
    const answers = await decisions.checkEach(caller, asked);
    if (asked.length === checks.length) return answers;
    const allowed = new Set(asked.filter((_, index) => answers[index]));
    return checks.map((one) => allowed.has(one));
  },
});

/**
 * Returns whether OpenFGA need not be asked, because a caller's token does not allow the relation:
 * it lacks the scope, no scope gives it, or its client is no longer bound to the team.
 */
const isBeyondToken = (caller: object, check: Check): boolean =>
  SCOPES.get(`${typeOf(check.object)} ${check.relation}`) === null ||
  missingScope(caller, check) !== null ||
  (typeOf(check.object) === 'team_seat' && !isBoundTo(caller, check.object));
