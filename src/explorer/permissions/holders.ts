import { ConcurrentUpdate } from '../../authz/authz.ts';
import type { ObjectCaller, Tuple } from '../../authz/authz.ts';
import { contextIn, teamSeatIn } from '../../caller/access.ts';
import type { Database } from '../../platform/postgres/database.ts';
import type { EvidenceOf } from '../evidence/evidence.ts';
import type { Begin } from '../dependencies.ts';
import { eachOf } from '../each-of.ts';
import type { Look } from '../look.ts';
import type { Holder } from '../schema.ts';
import { inOrder } from '../subjects/page.ts';
import type { Report, Shown } from '../subjects/page.ts';
import { proveClasses } from '../subjects/proofs.ts';
import type { Provable } from '../subjects/proofs.ts';
import { candidateTeams, subjectOf } from '../subjects/record.ts';
import { listClasses } from '../subjects/store.ts';
import type { SubjectClass, SubjectRow } from '../subjects/store.ts';
import { requirePermission } from './named.ts';
import type { NamedPermission } from './named.ts';

/** A holder, with the class whose representative was decided about. */
interface Held extends Provable {
  /** The teams in which it is held; null for a permission in the organization. */
  teams: readonly string[] | null;
}

interface HoldersDependencies {
  database: Pick<Database, 'pool'>;
  begin: Begin;
  evidenceOf: EvidenceOf;
}

/**
 * Creates the answer to who holds a permission. Members and credentials whose rows are equal in all that
 * decides are a class, of which one is decided about; so the answer takes as many checks as there are
 * classes, however many members there are.
 */
export function createHolders({ database, begin, evidenceOf }: HoldersDependencies) {
  return async function holders(
    organization_id: string,
    name: string,
  ): Promise<Report<Holder, Held>> {
    const permission = requirePermission(name);
    const look = await begin(organization_id);
    const classes = await listClasses(
      database.pool,
      organization_id,
      permission.on === 'team' ? 'reach' : 'home',
      permission.is_owners ? { only: 'members' } : {},
    );
    const found =
      permission.on === 'team'
        ? await heldInTeams(look, classes, permission)
        : await heldInOrganization(look, classes, permission);
    async function describe(some: readonly Shown<Held>[]): Promise<Holder[]> {
      const proofs = await proveClasses(look, some, ({ principal }, held) =>
        prove(look, principal, { permission, held }),
      );
      const evidence = await evidenceOf(
        organization_id,
        some.map(({ id }) => proofs.get(id) ?? []),
      );
      return some.map(({ row, teams }, index) => ({
        subject: subjectOf(row, look.teams),
        because: evidence[index]!,
        teams: teams && teams.map((id) => ({ id, name: look.teams.get(id)! })),
      }));
    }
    return { look, found, describe };
  };
}

/** Decides about one row of each class; returns the classes that are allowed. */
async function allowedClasses(
  look: Look,
  classes: ReadonlyMap<string, { row: SubjectRow; team_id: string | null }>,
  permission: NamedPermission,
): Promise<ReadonlySet<string>> {
  const found = await look.find([
    ...new Map([...classes.values()].map(({ row }) => [row.id, row])).values(),
  ]);
  const allowed = new Set<string>();
  await eachOf(classes, async ([name, { row, team_id }]) => {
    const one = found.get(row.id);
    // The others of its class may still have the permission.
    if (one === undefined) throw new ConcurrentUpdate();
    if (await look.isAllowed(one.principal, permission, team_id)) allowed.add(name);
  });
  return allowed;
}

async function heldInOrganization(
  look: Look,
  classes: readonly SubjectClass[],
  permission: NamedPermission,
): Promise<Held[]> {
  const asked = new Map(classes.map((row) => [row.home, { row, team_id: null }]));
  const allowed = await allowedClasses(look, asked, permission);
  return inOrder(
    classes
      .filter(({ home }) => allowed.has(home))
      .flatMap(({ kind, home, ids }) => ids.map((id) => ({ kind, id, teams: null, proof: home }))),
  );
}

async function heldInTeams(
  look: Look,
  classes: readonly SubjectClass[],
  permission: NamedPermission,
): Promise<Held[]> {
  const all = [...look.teams.keys()];
  const asked = new Map<string, { row: SubjectRow; team_id: string }>();
  for (const row of classes)
    for (const team_id of teamsToDecide(row, all))
      asked.set(teamClass(row, team_id), { row, team_id });
  const allowed = await allowedClasses(look, asked, permission);
  return inOrder(
    classes.flatMap((row) => {
      const teams = teamsToDecide(row, all).filter((id) => allowed.has(teamClass(row, id)));
      const [team_id] = teams;
      if (team_id === undefined) return [];
      const proof = teamClass(row, team_id);
      return row.ids.map((id) => ({ kind: row.kind, id, teams, team_id, proof }));
    }),
  );
}

/** A member may manage teams without a seat; a credential has access in its teams only. */
export const teamsToDecide = (row: SubjectRow, all: readonly string[]): readonly string[] =>
  row.kind === 'member' ? all : candidateTeams(row, all).filter((id) => all.includes(id));

/**
 * Names what decides about a row in a team: without a seat or a binding, it is the same in every team.
 */
export function teamClass({ home, follows, bound, seats }: SubjectRow, team_id: string): string {
  const seat = seats.find(([id]) => id === team_id);
  const roles = seat === undefined ? 'none' : seat[1].join(' ');
  return `${home} ${follows} ${bound?.includes(team_id) === true} ${roles}`;
}

async function prove(
  look: Look,
  principal: ObjectCaller,
  { permission, held }: { permission: NamedPermission; held: Held },
): Promise<readonly Tuple[]> {
  const { organization_id } = look;
  const { team_id } = held;
  const home = contextIn('organization', principal, { organization_id })!;
  const relation = `can_${permission.relation}`;
  if (team_id === undefined) return look.provenBy(principal, [relation], home);
  const seat = teamSeatIn(principal, { team_id })!;
  const tuples = await look.provenBy(principal, [relation], seat);
  if (tuples.length > 0 || held.kind !== 'member') return tuples;
  return look.provenBy(principal, ['can_manage_every_team'], home);
}
