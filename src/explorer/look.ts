import { createDecideOnObject, missingScope } from '../authz/authz.ts';
import type { Authz, Check, CheckObject, ObjectCaller, Tuple } from '../authz/authz.ts';
import { MANAGES_EVERY_TEAM } from '../authz/permissions.ts';
import type { AgentPrincipal, Principal } from '../caller/principal.ts';
import type { ObjectAccess } from '../caller/access.ts';
import type { Credential, Credentials } from '../credentials/credentials.ts';
import type { Database } from '../platform/postgres/database.ts';
import type { Visibility } from '../visibility/visibility.ts';
import {
  isForCredentials,
  permissionsInOrganization,
  permissionsInTeam,
} from './permissions/named.ts';
import type { NamedPermission } from './permissions/named.ts';
import { candidateTeams } from './subjects/record.ts';
import { listTeamNames } from './subjects/store.ts';
import type { SubjectRow } from './subjects/store.ts';

/** A subject as the principal that enforcement decides about. */
export interface Found {
  /** The principal of REST requests that name the organization; a member as in a session. */
  principal: ObjectCaller;
  /** The principal of MCP requests; null for a member. */
  agent: AgentPrincipal | null;
  /** Null for a member. */
  credential: Credential | null;
  /** Whether the rows allow it to send requests at all. */
  isUsable: boolean;
}

export interface LookDependencies {
  database: Pick<Database, 'pool' | 'authPool'>;
  authz: Pick<Authz, 'modelId' | 'uncached' | 'explain'>;
  credentials: Pick<Credentials, 'findAll'>;
  /** Returns a member as in a session; null for anyone else. */
  findMember(key: { organization_id: string; account_id: string }): Promise<ObjectCaller | null>;
  /** Creates views that are cached for one report. */
  createVisibility(): Visibility;
}

/** One look at an organization: it reads and decides like requests do, and caches for itself only. */
export type Look = Awaited<ReturnType<typeof beginLook>>;

/** How many principals are read, and subjects decided about, at a time. */
const AT_ONCE = 4;

/** Begins a look at an organization. */
export async function beginLook(dependencies: LookDependencies, organization_id: string) {
  const { database, authz, credentials, findMember } = dependencies;
  const as_of = new Date().toISOString();
  const teams = new Map(
    (await listTeamNames(database.pool, organization_id)).map(({ id, name }) => [id, name]),
  );
  const visibility = dependencies.createVisibility();
  const check: CheckObject = (principal, relations, object) =>
    authz.uncached.check(principal, relations, object);
  const decideOne = createDecideOnObject(check);
  const decideAll = createDecideOnObject(readAllRelations(check));

  const accessTo = ({ on, relation }: NamedPermission): ObjectAccess => ({
    ...{ on, permission: relation },
  });

  /** Returns whether enforcement allows a permission; `team_id` is for permissions in teams. */
  const isAllowed =
    (decide: typeof decideOne) =>
    async (principal: ObjectCaller, permission: NamedPermission, team_id: string | null) => {
      const params = { organization_id, ...(team_id === null ? {} : { team_id }) };
      const { isSeen, isAllowed: allowed } = await decide(
        { principal, params },
        accessTo(permission),
      );
      return isSeen && allowed;
    };

  /** Returns the principals of rows, by the rows' ids; of those that still exist. */
  async function find(
    rows: readonly Pick<SubjectRow, 'kind' | 'id'>[],
  ): Promise<Map<string, Found>> {
    const found = new Map<string, Found>();
    const ids = rows.filter(({ kind }) => kind !== 'member').map(({ id }) => id);
    for (const [id, credential] of await credentials.findAll(ids, organization_id)) {
      const { principal: agent, usable } = credential;
      const principal = credential.restPrincipal();
      const isUsable = usable && principal.organization?.status === 'active';
      found.set(id, { principal, agent, credential, isUsable });
    }
    const members = rows.filter(({ kind }) => kind === 'member');
    await eachOf(members, async ({ id: account_id }) => {
      const principal = await findMember({ organization_id, account_id });
      if (principal === null) return;
      const isUsable = principal.organization?.status === 'active';
      found.set(account_id, { principal, agent: null, credential: null, isUsable });
    });
    return found;
  }

  return {
    ...{ organization_id, as_of, teams, visibility, model_id: authz.modelId },
    find,
    /** Returns whether a principal has one permission, for reports about many principals. */
    isAllowed: isAllowed(decideOne),
    /** Returns the permissions of one principal in the organization and in each of its teams. */
    async permissionsOf(
      principal: ObjectCaller,
      row: Pick<SubjectRow, 'account_id' | 'bound' | 'seats'>,
    ) {
      const allowed = isAllowed(decideAll);
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
    permissionsIn: (principal: ObjectCaller, team_id: string | null) =>
      filterAllowed(team_id === null ? permissionsInOrganization : permissionsInTeam, (one) =>
        isAllowed(decideAll)(principal, one, team_id),
      ),
    /** Returns whether OpenFGA's checks allow relations; for credentials, within their tokens. */
    checkEach: (principal: ObjectCaller, checks: readonly Check[]) =>
      authz.uncached.checkEach(principal, checks),
    /** Returns the ids of those rows that the rows of their account and client allow to be used. */
    async usableOf(rows: readonly Pick<SubjectRow, 'kind' | 'id'>[]): Promise<ReadonlySet<string>> {
      const found = await find(rows);
      return new Set([...found].flatMap(([id, { isUsable }]) => (isUsable ? [id] : [])));
    },
    missingScope,
    /** Returns the tuples by which a relation holds or, if it does not, those that are missing. */
    async tuplesOf(
      principal: Pick<Principal, 'subject' | 'context'>,
      relation: string,
      object: string,
    ): Promise<readonly Tuple[]> {
      return (await authz.explain(principal, [relation], object)).get(relation)?.tuples ?? [];
    },
    /** Returns the tuples by which a principal has relations to an object; none if it has not. */
    async provenBy(
      principal: Pick<Principal, 'subject' | 'context'>,
      relations: readonly string[],
      object: string,
    ): Promise<readonly Tuple[]> {
      const proofs = await authz.explain(principal, relations, object);
      return [...proofs.values()].flatMap(({ holds, tuples }) => (holds ? tuples : []));
    },
  };
}

/** No team has this id: only who manages every team has a permission in it. */
const NO_TEAM = '00000000-0000-0000-0000-000000000000';

/** Calls a function for each entry, a few at a time. */
export async function eachOf<Entry>(
  entries: Iterable<Entry>,
  run: (entry: Entry) => Promise<void>,
): Promise<void> {
  const left = entries[Symbol.iterator]();
  const work = async () => {
    for (let next = left.next(); next.done !== true; next = left.next()) await run(next.value);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}

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

/** Few enough that a busy store answers in time, and that live checks need not wait long. */
const RELATIONS_AT_ONCE = 13;

/** Checks all relations of an object, some after the others. */
async function checkInParts(
  check: CheckObject,
  principal: Parameters<CheckObject>[0],
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

const allRelations = (object: string) => RELATIONS[object.slice(0, object.indexOf(':'))]!;
