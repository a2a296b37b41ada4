import type { ObjectCaller, Tuple } from '../../authz/authz.ts';
import { contextIn, teamSeatIn } from '../../caller/access.ts';
import type { Database } from '../../platform/postgres/database.ts';
import type { EvidenceOf } from '../evidence/evidence.ts';
import type { Begin } from '../dependencies.ts';
import { eachOf } from '../each-of.ts';
import type { Look } from '../look.ts';
import type { Holder } from '../schema.ts';
import type { Report } from '../subjects/page.ts';
import { candidateTeams, subjectOf } from '../subjects/record.ts';
import { listSubjects } from '../subjects/store.ts';
import type { SubjectRow } from '../subjects/store.ts';
import { requirePermission } from './named.ts';
import type { NamedPermission } from './named.ts';

/** A holder, with the class whose representative was decided about. */
interface Held {
  row: SubjectRow;
  /** The teams in which it is held; null for a permission in the organization. */
  teams: readonly string[] | null;
  /** Equal for holders whose proofs differ in their own ids only. */
  proof: string;
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
    const rows = await listSubjects(
      database.pool,
      organization_id,
      permission.is_owners ? { only: 'members' } : {},
    );
    const held =
      permission.on === 'team'
        ? await heldInTeams(look, rows, permission)
        : await heldInOrganization(look, rows, permission);
    async function describe(some: readonly Held[]): Promise<Holder[]> {
      const proofs = await proofsOf(look, some, permission);
      const evidence = await evidenceOf(
        organization_id,
        some.map(({ row }) => proofs.get(row.id) ?? []),
      );
      return some.map(({ row, teams }, index) => ({
        subject: subjectOf(row, look.teams),
        because: evidence[index]!,
        teams: teams && teams.map((id) => ({ id, name: look.teams.get(id)! })),
      }));
    }
    return { look, found: held, describe };
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
    if (one === undefined) return;
    if (await look.isAllowed(one.principal, permission, team_id)) allowed.add(name);
  });
  return allowed;
}

async function heldInOrganization(
  look: Look,
  rows: readonly SubjectRow[],
  permission: NamedPermission,
): Promise<Held[]> {
  const classes = new Map(rows.map((row) => [row.home, { row, team_id: null }]));
  const allowed = await allowedClasses(look, classes, permission);
  return rows
    .filter(({ home }) => allowed.has(home))
    .map((row) => ({ row, teams: null, proof: row.home }));
}

async function heldInTeams(
  look: Look,
  rows: readonly SubjectRow[],
  permission: NamedPermission,
): Promise<Held[]> {
  const all = [...look.teams.keys()];
  const classes = new Map<string, { row: SubjectRow; team_id: string }>();
  for (const row of rows)
    for (const team_id of teamsToDecide(row, all))
      classes.set(teamClass(row, team_id), { row, team_id });
  const allowed = await allowedClasses(look, classes, permission);
  return rows.flatMap((row) => {
    const teams = teamsToDecide(row, all).filter((id) => allowed.has(teamClass(row, id)));
    return teams.length === 0 ? [] : [{ row, teams, proof: teamClass(row, teams[0]!) }];
  });
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

/** Returns the tuples by which rows hold the permission, by id. */
async function proofsOf(
  look: Look,
  page: readonly Held[],
  permission: NamedPermission,
): Promise<ReadonlyMap<string, readonly Tuple[]>> {
  const proofs = new Map<string, readonly Tuple[]>();
  const principals = await look.find(page.map(({ row }) => row));
  const byProof = Map.groupBy(page, ({ proof }) => proof);
  await eachOf(byProof.values(), async (same) => {
    const [first] = same;
    const one = principals.get(first!.row.id);
    if (one === undefined) return;
    const tuples = await prove(look, one.principal, { permission, held: first! });
    for (const { row, teams } of same)
      proofs.set(
        row.id,
        tuples.map((tuple) => renamed(tuple, first!, { row, teams })),
      );
  });
  return proofs;
}

async function prove(
  look: Look,
  principal: ObjectCaller,
  { permission, held }: { permission: NamedPermission; held: Held },
): Promise<readonly Tuple[]> {
  const { organization_id } = look;
  const team_id = held.teams?.[0];
  const home = contextIn('organization', principal, { organization_id })!;
  const relation = `can_${permission.relation}`;
  if (team_id === undefined) return look.provenBy(principal, [relation], home);
  const seat = teamSeatIn(principal, { team_id })!;
  const tuples = await look.provenBy(principal, [relation], seat);
  if (tuples.length > 0 || held.row.kind !== 'member') return tuples;
  return look.provenBy(principal, ['can_manage_every_team'], home);
}

/** Returns the tuple of another row of the same class: its ids in place of those of the first. */
function renamed(
  { user, relation, object }: Tuple,
  from: Pick<Held, 'row' | 'teams'>,
  to: Pick<Held, 'row' | 'teams'>,
): Tuple {
  const ids = new Map([
    [from.row.id, to.row.id],
    [from.row.account_id ?? from.row.id, to.row.account_id ?? to.row.id],
    ...(from.teams ? [[from.teams[0]!, to.teams![0]!] as const] : []),
  ]);
  const rename = (text: string) => text.replaceAll(UUID, (id) => ids.get(id) ?? id);
  return { user: rename(user), relation, object: rename(object) };
}

const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
