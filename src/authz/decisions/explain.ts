import type { Principal } from '../../caller/principal.ts';
import { asRefusal } from '../../platform/errors/outage.ts';
import { unavailable } from '../../platform/errors/refusal.ts';
import type { Engine } from '../engine/client.ts';
import type { Proof, Schema } from './evaluator.ts';
import { createReadProofs } from './read-proofs.ts';
import { createSchemaReader } from '../engine/schema-reader.ts';

/** Explains why a caller has, or lacks, relations to an object; by default its context object. */
export type Explain = (
  caller: Pick<Principal, 'subject' | 'context'>,
  relations: readonly string[],
  object?: string,
) => Promise<ReadonlyMap<string, Proof>>;

/**
 * More than any member needs, with up to 103 roles, and 20 in each of 50 teams. An explanation that
 * needs more is refused, not truncated.
 */
const MAX_READS = 2_000;
/** Small, so that concurrent explanations can interleave. */
const READS_AT_ONCE = 4;

/**
 * Evaluates the pinned model over the current tuples. Starts at the given object and reads the
 * tuples that the evaluation depends on, up to the deciding roles. The result explains a decision
 * of the server and is never a decision itself.
 */
export function createExplain(engine: Pick<Engine, 'lookUp' | 'readModel'>): Explain {
  const readSchema = createSchemaReader(engine);

  const createReader = (known: Schema) => {
    let reads = 0;
    return createReadProofs(known, async (wanted, tuples) => {
      reads += wanted.length;
      if (reads > MAX_READS) throw unavailable('the explanation needs too many reads');
      for (let next = 0; next < wanted.length; next += READS_AT_ONCE) {
        const chunk = wanted.slice(next, next + READS_AT_ONCE);
        tuples.add((await Promise.all(chunk.map(engine.lookUp))).flat());
      }
    });
  };

  return async function explain({ subject, context }, relations, object = context) {
    try {
      const readProofs = createReader(await readSchema());
      return await readProofs(
        subject,
        (prove) => new Map(relations.map((one) => [one, prove(subject, one, object)])),
      );
    } catch (error) {
      throw asRefusal(error) ?? unavailable('OpenFGA request failed', error);
    }
  };
}
