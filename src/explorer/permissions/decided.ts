import { decideOnObject } from '../../authz/authz.ts';
import type { CheckObject, ObjectCaller } from '../../authz/authz.ts';
import { MANAGES_EVERY_TEAM } from '../../authz/permissions.ts';
import type { ObjectAccess } from '../../caller/access.ts';
import { candidateTeams } from '../subjects/record.ts';
import type { SubjectRow } from '../subjects/store.ts';
import { isForCredentials, permissionsInOrganization, permissionsInTeam } from './named.ts';
import type { NamedPermission } from './named.ts';

interface DecidedIn {
  organization_id: string;
  /** Names of its teams, by id. */
  teams: ReadonlyMap<string, string>;
}

/** Creates the functions that decide about permissions as requests do. */
export function createDecided(check: CheckObject, { organization_id, teams }: DecidedIn) {
  const accessTo = ({ on, relation }: NamedPermission): ObjectAccess => ({
    ...{ on, permission: relation },
  });

  /** Returns whether enforcement allows a permission; `team_id` is for permissions in teams. */
  const isAllowed =
    (checkWith: CheckObject) =>
    async (principal: ObjectCaller, permission: NamedPermission, team_id: string | null) => {
      const params = { organization_id, ...(team_id === null ? {} : { team_id }) };
      const { isSeen, isAllowed: allowed } = await decideOnObject(
        checkWith,
        { principal, params },
        accessTo(permission),
      );
      return isSeen && allowed;
    };

  return {
    /** Returns whether a principal has one permission, for reports about many principals. */
    isAllowed: isAllowed(check),
    /** Returns the permissions of one principal in the organization and in each of its teams. */
    async permissionsOf(
      principal: ObjectCaller,
      row: Pick<SubjectRow, 'account_id' | 'bound' | 'seats'>,
    ) {
      const allowed = isAllowed(readAllRelations(check));
      const held = await filterAllowed(permissionsInOrganization, (one) =>
        allowed(principal, one, null),
      );
      const managesAll = await allowed(principal, permissionsInTeam[0]!, NO_TEAM);
      const teamIds = managesAll ? [...teams.keys()] : candidateTeams(row, [...teams.keys()]);
      const inTeams = [];
      for (const id of teamIds) {
        const name = teams.get(id);
        if (name === undefined) continue;
        const inTeam = await filterAllowed(permissionsInTeam, (one) => allowed(principal, one, id));
        if (inTeam.length > 0) inTeams.push({ team: { id, name }, permissions: inTeam });
      }
      return { permissions: held, team_permissions: inTeams };
    },
    /** Returns the permissions of one principal in the organization or, if one is named, in a team. */
    permissionsIn(principal: ObjectCaller, team_id: string | null) {
      const allowed = isAllowed(readAllRelations(check));
      const named = team_id === null ? permissionsInOrganization : permissionsInTeam;
      return filterAllowed(named, (one) => allowed(principal, one, team_id));
    },
  };
}

/** No team has this id: only who manages every team has a permission in it. */
const NO_TEAM = '00000000-0000-0000-0000-000000000000';

async function filterAllowed(
  all: readonly NamedPermission[],
  allows: (permission: NamedPermission) => Promise<boolean>,
): Promise<string[]> {
  const held: string[] = [];
  for (const one of all) if (await allows(one)) held.push(one.name);
  return held;
}

const relationsOf = (permissions: readonly NamedPermission[]) =>
  permissions.map(({ relation }) => `can_${relation}`);
const inOrganization = relationsOf(permissionsInOrganization.filter(isForCredentials));

/** The relations that decide, by the type of the object. */
const RELATIONS: Readonly<Record<string, readonly string[]>> = {
  service: ['can_see', ...inOrganization],
  membership: ['can_see', MANAGES_EVERY_TEAM, ...relationsOf(permissionsInOrganization)],
  team_seat: ['active', ...relationsOf(permissionsInTeam)],
};

/** Checks all relations of an object at once, for callers that ask for one after the other. */
function readAllRelations(check: CheckObject): CheckObject {
  const known = new Map<string, Promise<ReadonlyMap<string, boolean>>>();
  return (principal, _relations, object) => {
    const key = `${principal.subject} ${object}`;
    const answers = known.get(key) ?? checkInParts(check, principal, object);
    known.set(key, answers);
    // A later attempt may get an answer.
    answers.catch(() => known.delete(key));
    return answers;
  };
}

const allRelations = (object: string) => RELATIONS[object.slice(0, object.indexOf(':'))]!;

/** Few enough that a busy store answers in time, and that live checks need not wait long. */
const RELATIONS_AT_ONCE = 13;

/** Checks all relations of an object, some after the others. */
async function checkInParts(
  check: CheckObject,
  principal: ObjectCaller,
  object: string,
): Promise<ReadonlyMap<string, boolean>> {
  const all = allRelations(object);
  const results = new Map<string, boolean>();
  for (let at = 0; at < all.length; at += RELATIONS_AT_ONCE) {
    const part = await check(principal, all.slice(at, at + RELATIONS_AT_ONCE), object);
    for (const [relation, holds] of part) results.set(relation, holds);
  }
  return results;
}
