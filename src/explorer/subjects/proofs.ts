import type { Tuple } from '../../authz/authz.ts';
import { eachOf } from '../each-of.ts';
import type { Look } from '../look.ts';
import type { Found as Principal } from './found.ts';
import type { Found, Shown } from './page.ts';

/** A subject to prove something about, with the class whose proofs differ in their own ids only. */
export interface Provable extends Found {
  proof: string;
  /** The team that its proof is about, if that differs within the class. */
  team_id?: string | undefined;
}

/** Returns the tuples that prove something about subjects, by id; one of each class is proven. */
export async function proveClasses<One extends Provable>(
  look: Look,
  some: readonly Shown<One>[],
  prove: (principal: Principal, one: Shown<One>) => Promise<readonly Tuple[]>,
): Promise<ReadonlyMap<string, readonly Tuple[]>> {
  const proofs = new Map<string, readonly Tuple[]>();
  const classes = [...Map.groupBy(some, ({ proof }) => proof).values()];
  const principals = await look.find(classes.map(([first]) => first!));
  await eachOf(classes, async (same) => {
    const [first] = same;
    const principal = principals.get(first!.id);
    if (principal === undefined) return;
    const tuples = await prove(principal, first!);
    for (const one of same)
      proofs.set(
        one.id,
        tuples.map((tuple) => renamed(tuple, first!, one)),
      );
  });
  return proofs;
}

/** Returns the tuple of another subject of the same class: its ids in place of those of the first. */
function renamed(
  { user, relation, object }: Tuple,
  from: Shown<Provable>,
  to: Shown<Provable>,
): Tuple {
  const ids = new Map([
    [from.id, to.id],
    [from.row.account_id ?? from.id, to.row.account_id ?? to.id],
    ...(from.team_id === undefined ? [] : [[from.team_id, to.team_id!] as const]),
  ]);
  const rename = (text: string) => text.replaceAll(UUID, (id) => ids.get(id) ?? id);
  return { user: rename(user), relation, object: rename(object) };
}

const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
