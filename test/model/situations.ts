import type { Tuple } from '../../src/authz/tuple.ts';
import { listed, withoutScope, withViews } from './permission-lists.ts';

export type SubjectType = 'user' | 'api_key' | 'connection' | 'org_key' | 'machine';

/** One subject, person, organization and team: what was granted, what roles give, what was lost. */
export interface Situation {
  name: string;
  subject: SubjectType;
  /** Delegated by a hybrid client (SC4). */
  isFrozen: boolean;
  /** Marked as a key, although it does not carry what the mark is written for. */
  isMarked: boolean;
  /** Null without a personal grant. */
  personal: string[] | null;
  carried: string[];
  teamCarried: string[];
  role: string[];
  teamRole: string[];
  isMember: boolean;
  hasJoined: boolean;
  isBound: boolean;
  isLive: boolean;
}

export interface SituationIds {
  caller: string;
  account: string;
  membership: string;
  service: string;
  team: string;
}

const flag = (relation: string, object: string): Tuple => ({
  user: 'everyone:live#any',
  relation,
  object,
});

export function idsOf(situation: Situation, id = '1'): SituationIds {
  const isService = situation.subject === 'org_key' || situation.subject === 'machine';
  return {
    caller: `${situation.subject}:${situation.subject === 'user' ? `u${id}` : `c${id}`}`,
    account: `account:u${id}`,
    membership: `membership:o${id}.u${id}`,
    service: `service:o${id}.c${id}`,
    team: `team_seat:t${id}.${isService ? 'c' : 'u'}${id}`,
  };
}

/** Returns the tuples of the situation, without those of `everyone`, which a store has once. */
export function tuplesOf(situation: Situation, id = '1'): Tuple[] {
  const { caller, account, membership, service, team } = idsOf(situation, id);
  const isService = situation.subject === 'org_key' || situation.subject === 'machine';
  const seat = isService ? service : membership;
  const isSession = situation.subject === 'user';
  const optional = (condition: boolean, ...tuples: Tuple[]) => (condition ? tuples : []);
  const tuple = (user: string, relation: string, object: string) => ({ user, relation, object });

  return [
    tuple(`user:u${id}`, 'session', account),
    ...optional(situation.isMember, tuple(account, 'person', membership)),
    tuple(`org_role:r${id}`, 'role', membership),
    ...situation.role.map((relation) => flag(relation, `org_role:r${id}`)),
    tuple(seat, 'holder', team),
    tuple(`team_role:r${id}`, 'role', team),
    ...situation.teamRole.map((relation) => flag(relation, `team_role:r${id}`)),
    ...optional(
      situation.hasJoined && !isService,
      tuple(membership, 'joined', team),
      tuple(team, 'team_seat', membership),
    ),
    ...optional(situation.isLive && isService, tuple(caller, 'bearer', service)),
    ...optional(situation.isLive && !isService && !isSession, tuple(caller, 'principal', account)),
    ...optional(!isSession, tuple(caller, 'granted', seat)),
    ...optional(!isSession && !isService, tuple(caller, 'runs_here', membership)),
    ...optional(situation.isFrozen, tuple(caller, 'frozen', membership)),
    ...optional(situation.isBound && !isSession, tuple(caller, 'bound', team)),
    ...optional(situation.personal !== null && !isSession, tuple(caller, 'granted', account)),
    ...(isSession ? [] : (situation.personal ?? [])).map((p) =>
      tuple(caller, `carried_${p}`, account),
    ),
    ...(isSession ? [] : writtenFor(situation)).map((p) => tuple(caller, `carried_${p}`, seat)),
    ...optional(
      isKey(situation) && (situation.isMarked || situation.carried.includes('profile_write')),
      tuple(caller, 'is_key', seat),
    ),
    ...(isSession ? [] : situation.teamCarried).map((p) =>
      tuple(caller, `team_carried_${p}`, seat),
    ),
  ];
}

const isKey = ({ subject }: Situation) => subject === 'api_key' || subject === 'org_key';
const isToken = ({ subject }: Situation) => subject === 'connection' || subject === 'machine';

/** The model rejects the tuple of a permission that no token has. */
const writtenFor = (situation: Situation): string[] =>
  situation.carried.filter((name) => !isToken(situation) || name !== withoutScope);

/** Returns the allowed relations by context object, from the rules alone, not from the model. */
export function expectedOf(
  situation: Situation,
): Record<keyof Omit<SituationIds, 'caller'>, Set<string>> {
  const isService = situation.subject === 'org_key' || situation.subject === 'machine';
  const isSession = situation.subject === 'user';
  const canAct = isSession || situation.isLive;
  const carried = withViews('organization', situation.carried).difference(
    new Set(isToken(situation) ? [withoutScope] : []),
  );
  const held = withViews('organization', situation.role);
  const writesAllTeams = held.has('all_teams_write');
  const teamCarried = withViews('team', [
    ...situation.teamCarried,
    ...(carried.has('all_teams_write') ? listed.team : []),
  ]);
  const teamHeld =
    writesAllTeams || situation.isFrozen || isService
      ? new Set(listed.team)
      : withViews('team', situation.teamRole);
  const takesPart = canAct && situation.isMember && !isService;
  const isActive =
    !isSession &&
    canAct &&
    situation.isBound &&
    (isService || (situation.isMember && (situation.hasJoined || writesAllTeams)));
  const can = (permissions: Iterable<string>) => [...permissions].map((p) => `can_${p}`);
  const when = (condition: boolean, ...relations: string[]) => (condition ? relations : []);

  return {
    account: new Set([
      ...when(isSession, 'can_see', 'can_manage_account', 'can_manage_keys'),
      ...when(isSession, ...can(listed.personal)),
      ...when(!isSession && !isService && canAct && situation.personal !== null, 'can_see'),
      ...when(
        !isSession && !isService && canAct,
        ...can(withViews('personal', situation.personal ?? [])),
      ),
    ]),
    membership: new Set([
      ...when(takesPart, 'can_see', 'participant'),
      ...when(takesPart && isSession, 'can_scope_own_keys', ...can(held)),
      ...when(takesPart && isSession && writesAllTeams, 'can_manage_every_team'),
      ...when(takesPart && !isSession, 'can_connect'),
      ...when(
        takesPart && !isSession,
        ...can(situation.isFrozen ? carried : carried.intersection(held)),
      ),
    ]),
    service: new Set(when(isService && canAct, 'can_see', 'can_connect', ...can(carried))),
    team: new Set([
      ...when(isActive, 'active', ...can(teamCarried.intersection(teamHeld))),
      ...when(takesPart && isSession && situation.hasJoined, ...can(teamHeld)),
    ]),
  };
}
