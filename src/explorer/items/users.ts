import { ConcurrentUpdate } from '../../authz/authz.ts';
import { contextIn, teamSeatIn } from '../../caller/access.ts';
import type { AgentPrincipal } from '../../caller/principal.ts';
import { systemTools } from '../../catalog/catalog.ts';
import { absent } from '../../platform/errors/refusal.ts';
import { capabilityOf } from '../../visibility/visibility.ts';
import type { Item, View } from '../../visibility/visibility.ts';
import type { Asked } from '../dependencies.ts';
import { runsIn } from '../access.ts';
import type { EvidenceOf } from '../evidence/evidence.ts';
import type { Begin, ExplorerDependencies } from '../dependencies.ts';
import type { ItemRef } from './item-ref.ts';
import { eachOf } from '../each-of.ts';
import type { Look } from '../look.ts';
import type { ItemUser } from '../schema.ts';
import { inOrder } from '../subjects/page.ts';
import type { Report } from '../subjects/page.ts';
import { proveClasses } from '../subjects/proofs.ts';
import type { Provable } from '../subjects/proofs.ts';
import { subjectOf } from '../subjects/record.ts';
import { listClasses } from '../subjects/store.ts';
import type { SubjectClass } from '../subjects/store.ts';

interface UsersDependencies extends Pick<ExplorerDependencies, 'database' | 'keys'> {
  begin: Begin;
  evidenceOf: EvidenceOf;
}

/** What a class of credentials was found to be able to do. */
interface Decided {
  row: SubjectClass;
  view: View;
  item: Item | null;
  isAllowed: boolean;
}

interface User extends Provable {
  item: Item | null;
}

/**
 * Creates the answer to who can use an item: one `decide` for each class of credentials that differ in
 * nothing that decides about items outside of members' own spaces.
 */
export function createItemUsers({ database, keys, begin, evidenceOf }: UsersDependencies) {
  return async function users(asked: Asked, ref: ItemRef): Promise<Report<ItemUser, User>> {
    const { organization_id } = asked;
    const look = await begin(organization_id, ref);
    const classes = await listClasses(database.pool, organization_id, 'reach', {
      only: 'credentials',
    });
    const decided = await decideClasses(look, classes, ref);
    const [known] = decided.filter(({ item }) => item !== null);
    if (!isSystemTool(ref)) await requireKnown(keys, asked, known);
    const found = inOrder(
      decided
        .filter(({ isAllowed }) => isAllowed)
        .flatMap(({ row: { kind, reach, ids }, item }) =>
          ids.map((id) => ({ kind, id, item, proof: reach })),
        ),
    );
    const describe: Report<ItemUser, User>['describe'] = async (some) => {
      const proofs = await proveClasses(look, some, async ({ agent }, { item }) =>
        agent === null ? [] : proveUse(look, agent, { ref, item }),
      );
      const because = await evidenceOf(
        organization_id,
        some.map(({ id }) => proofs.get(id) ?? []),
      );
      return some.map(({ row }, index) => ({
        subject: subjectOf(row, look.teams),
        because: because[index]!,
      }));
    };
    return { look, found, describe };
  };
}

const isSystemTool = ({ family, id }: ItemRef): boolean =>
  family === 'tool' && Object.values(systemTools).includes(id as never);

async function decideClasses(
  look: Look,
  classes: readonly SubjectClass[],
  ref: ItemRef,
): Promise<Decided[]> {
  const found = await look.find(classes);
  const decided: Decided[] = [];
  await eachOf(classes, async (row) => {
    const agent = found.get(row.id)?.agent;
    // The others of its class may still use the item.
    if (agent == null) throw new ConcurrentUpdate();
    if (!runsIn(agent, look.organization_id)) return;
    const view = await look.visibility.view(agent);
    if (isSystemTool(ref)) {
      decided.push({ row, view, item: null, isAllowed: view.connected });
      return;
    }
    const item = look.visibility.allItems(view, ref.family).find(({ id }) => id === ref.id) ?? null;
    const isAllowed = look.visibility.reach(view, ref.family, ref.id) !== null;
    decided.push({ row, view, item, isAllowed });
  });
  return decided;
}

/** Throws 404 unless the caller may know of the item: nobody's credential has it, or only hidden. */
async function requireKnown(
  { knownTo }: UsersDependencies['keys'],
  { caller, organization_id }: Asked,
  found: Decided | undefined,
): Promise<void> {
  const owner = { kind: 'organization', id: organization_id } as const;
  const isKnown = await knownTo(caller, { owner, runs_in: organization_id });
  if (found?.item == null || !isKnown(found.view, found.item))
    throw absent('no such item, or the caller may not know of it');
}

/** Returns the tuples by which a credential may use items of the family and, of a team, is in it. */
async function proveUse(
  look: Look,
  agent: AgentPrincipal,
  { ref, item }: { ref: ItemRef; item: Item | null },
) {
  const { organization_id } = look;
  const relation = item === null ? 'can_connect' : `can_use_${capabilityOf[ref.family]}`;
  const home = contextIn('organization', agent, { organization_id })!;
  const ofHome = await look.provenBy(agent, [relation], home);
  const team_id = item?.space_id;
  if (team_id == null || !look.teams.has(team_id)) return ofHome;
  const seat = teamSeatIn(agent, { team_id })!;
  return [...ofHome, ...(await look.provenBy(agent, ['active'], seat))];
}
