import { contextIn, teamSeatIn } from '../../caller/access.ts';
import type { ObjectAccess, ObjectParams } from '../../caller/access.ts';
import type { Principal } from '../../caller/principal.ts';
import { MANAGES_EVERY_TEAM } from '../permissions.ts';
import { missingScope } from './token-scopes.ts';

/** The fields of a principal that decide about objects. */
export type ObjectCaller = Pick<
  Principal,
  'subject' | 'context' | 'person' | 'credential' | 'organization' | 'scopes'
>;

/** Checks relations of a principal to an object. */
export type CheckObject = (
  principal: ObjectCaller,
  relations: readonly string[],
  object: string,
) => Promise<ReadonlyMap<string, boolean>>;

/** A principal that asks for access to its account, an organization or a team. */
export interface ObjectRequest {
  principal: ObjectCaller;
  params: ObjectParams;
}

export interface ObjectDecision {
  /** Whether the principal may know of the object. */
  isSeen: boolean;
  isAllowed: boolean;
  /** The scope that the principal's access token lacks; null if another reason denies, or none. */
  scope: string | null;
}
const UNSEEN: ObjectDecision = { isSeen: false, isAllowed: false, scope: null };

type Decide = (
  check: CheckObject,
  request: ObjectRequest,
  access: ObjectAccess,
) => Promise<ObjectDecision>;

const decideOnContext: Decide = async (check, { principal, params }, access) => {
  const object = contextIn(access.on, principal, params);
  if (object === null) return UNSEEN;
  const relation = `can_${access.permission}`;
  const answers = await check(principal, [...new Set(['can_see', relation])], object);
  return {
    isSeen: answers.get('can_see') === true,
    isAllowed: answers.get(relation) === true,
    scope: missingScope(principal, { object, relation }),
  };
};

/**
 * Decides access to a team. A credential sees the teams in which it is active. A session is allowed
 * where it has the permission, or everywhere if it may manage every team; if no permission is
 * required (`see`), the route's `object` checks that the person is in the team. OpenFGA checks the
 * organization and the team in the path separately, so only `object` shows that they belong
 * together.
 */
const decideOnTeam: Decide = async (check, { principal, params }, access) => {
  const [home, seat] = [contextIn(access.on, principal, params), teamSeatIn(principal, params)];
  if (home === null || seat === null) return UNSEEN;
  const isPerson = principal.credential.kind === 'session';
  const relation = access.permission === 'see' ? null : `can_${access.permission}`;
  const seatRelations = [...(isPerson ? [] : ['active']), ...(relation ? [relation] : [])];
  const [homeAnswers, seatAnswers] = await Promise.all([
    check(principal, isPerson ? ['can_see', MANAGES_EVERY_TEAM] : ['can_see'], home),
    seatRelations.length > 0 ? check(principal, seatRelations, seat) : new Map<string, boolean>(),
  ]);
  const isSeen =
    homeAnswers.get('can_see') === true && (isPerson || seatAnswers.get('active') === true);
  const managesAll = homeAnswers.get(MANAGES_EVERY_TEAM) === true;
  return {
    isSeen,
    isAllowed: managesAll || relation === null || seatAnswers.get(relation) === true,
    scope: relation && missingScope(principal, { object: seat, relation }),
  };
};

const decide: Record<ObjectAccess['on'], Decide> = {
  account: decideOnContext,
  organization: decideOnContext,
  team: decideOnTeam,
};

/** Decides whether a principal has a permission on an object, by the answers of `check`. */
export const decideOnObject: Decide = (check, request, access) =>
  decide[access.on](check, request, access);
