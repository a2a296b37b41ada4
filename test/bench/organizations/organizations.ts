import { modelIdOf } from '../model-id.ts';
import type { Target } from '../targets.ts';
import { printTimings } from '../timings.ts';
import { FULL, SHORT } from '../turns.ts';
import type { Row } from '../turns.ts';
import { measureJoins, measureRoleEdits } from './changes.ts';
import { measureCold } from './cold.ts';
import type { Measured } from './people.ts';
import { createSized } from './sized.ts';
import { measureWarm } from './warm.ts';

/** How much is measured. */
interface Extent {
  /** Members, teams and keys of the compared organizations. */
  sizes: readonly number[];
  coldRounds: number;
  editRounds: number;
}
const WHOLE: Extent = { sizes: [10, 10_000], coldRounds: 150, editRounds: 60 };
/** For a quick look during development. */
const SMALL: Extent = { sizes: [10, 500], coldRounds: 40, editRounds: 20 };

/** Measures what organizations cost, compared with personal accounts and with their size. */
export async function measureOrganizations(
  on: Measured,
  { isSmall }: { isSmall: boolean },
): Promise<{ rows: Row[]; targets: Target[] }> {
  const { sizes, coldRounds, editRounds } = isSmall ? SMALL : WHOLE;
  const { rows, targets } = await measureWarm(on, isSmall ? SHORT : FULL);
  const sized = [];
  for (const size of sizes) sized.push(await createSized(on, size));
  const modelId = await modelIdOf(on.deployment);
  const cold = await measureCold(on, sized, { modelId, rounds: coldRounds });
  const edits = await measureRoleEdits(sized, editRounds);
  const joins = await measureJoins(on, sized);
  const timed = [cold, edits, joins];
  printTimings(timed.flatMap(({ timings }) => timings));
  return { rows, targets: [...targets, ...timed.flatMap((one) => one.targets)] };
}
