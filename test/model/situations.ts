import type { Tuple } from '../../src/authz/tuple.ts';
import { listed, withViews } from './permission-lists.ts';

export type SubjectType = 'user' | 'api_key' | 'connection' | 'org_key' | 'machine';

/** One subject, person, organization and team: what was granted, what is held, what was lost. */
export interface Situation {
  name: string;
  subject: SubjectType;
  /** Delegated by a hybrid client (SC4). */
  isFrozen: boolean;
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

export interface Seats {
  asker: string;
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

export function seatsOf(situation: Situation, id = '1'): Seats {
  const isOwn = situation.subject === 'org_key' || situation.subject === 'machine';
  return {
    asker: `${situation.subject}:${situation.subject === 'user' ? `u${id}` : `c${id}`}`,
    account: `account:u${id}`,
    membership: `membership:o${id}.u${id}`,
    service: `service:o${id}.c${id}`,
    team: `team_seat:t${id}.${isOwn ? 'c' : 'u'}${id}`,
  };
}

/** Returns the tuples of the situation, without those of `everyone`, which a store has once. */
export function tuplesOf(situation: Situation, id = '1'): Tuple[] {
  const { asker, account, membership, service, team } = seatsOf(situation, id);
  const isOwn = situation.subject === 'org_key' || situation.subject === 'machine';
  const seat = isOwn ? service : membership;
  const isSession = situation.subject === 'user';
  const optional = (condition: boolean, ...tuples: Tuple[]) => (condition ? tuples : []);
  const of = (user: string, relation: string, object: string) => ({ user, relation, object });

  return [
    of(`user:u${id}`, 'session', account),
    ...optional(situation.isMember, of(account, 'person', membership)),
    of(`org_role:r${id}`, 'role', membership),
    ...situation.role.map((relation) => flag(relation, `org_role:r${id}`)),
    of(seat, 'holder', team),
    of(`team_role:r${id}`, 'role', team),
    ...situation.teamRole.map((relation) => flag(relation, `team_role:r${id}`)),
    ...optional(
      situation.hasJoined && !isOwn,
      of(membership, 'joined', team),
      of(team, 'team_seat', membership),
    ),
    ...optional(situation.isLive && isOwn, of(asker, 'bearer', service)),
    ...optional(situation.isLive && !isOwn && !isSession, of(asker, 'principal', account)),
    ...optional(!isSession, of(asker, 'granted', seat)),
    ...optional(!isSession && !isOwn, of(asker, 'runs_here', membership)),
    ...optional(situation.isFrozen, of(asker, 'frozen', membership)),
    ...optional(situation.isBound && !isSession, of(asker, 'bound', team)),
    ...optional(situation.personal !== null && !isSession, of(asker, 'granted', account)),
    ...(isSession ? [] : (situation.personal ?? [])).map((p) => of(asker, `carried_${p}`, account)),
    ...(isSession ? [] : situation.carried).map((p) => of(asker, `carried_${p}`, seat)),
    ...(isSession ? [] : situation.teamCarried).map((p) => of(asker, `team_carried_${p}`, seat)),
  ];
}

/** Returns the allowed relations by context object, from the rules alone, not from the model. */
export function expectedOf(situation: Situation): Record<keyof Omit<Seats, 'asker'>, Set<string>> {
  const isOwn = situation.subject === 'org_key' || situation.subject === 'machine';
  const isSession = situation.subject === 'user';
  const acts = isSession || situation.isLive;
  const carried = withViews('organization', situation.carried);
  const held = withViews('organization', situation.role);
  const writesAllTeams = held.has('all_teams_write');
  const teamCarried = withViews('team', [
    ...situation.teamCarried,
    ...(carried.has('all_teams_write') ? listed.team : []),
  ]);
  const teamHeld =
    writesAllTeams || situation.isFrozen || isOwn
      ? new Set(listed.team)
      : withViews('team', situation.teamRole);
  const takesPart = acts && situation.isMember && !isOwn;
  const isActive =
    !isSession &&
    acts &&
    situation.isBound &&
    (isOwn || (situation.isMember && (situation.hasJoined || writesAllTeams)));
  const can = (permissions: Iterable<string>) => [...permissions].map((p) => `can_${p}`);
  const when = (condition: boolean, ...relations: string[]) => (condition ? relations : []);

  return {
    account: new Set([
      ...when(isSession, 'can_see', 'can_manage_account', 'can_manage_keys'),
      ...when(isSession, ...can(listed.personal)),
      ...when(!isSession && !isOwn && acts && situation.personal !== null, 'can_see'),
      ...when(
        !isSession && !isOwn && acts,
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
    service: new Set(when(isOwn && acts, 'can_see', 'can_connect', ...can(carried))),
    team: new Set([
      ...when(isActive, 'active', ...can(teamCarried.intersection(teamHeld))),
      ...when(takesPart && isSession && situation.hasJoined, ...can(teamHeld)),
    ]),
  };
}
