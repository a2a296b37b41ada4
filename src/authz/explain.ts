import type { Principal } from '../caller/principal.ts';
import { asRefusal } from '../platform/errors/outage.ts';
import { unavailable } from '../platform/errors/refusal.ts';
import type { Engine, LookUp } from './client.ts';
import { createProver, typeOf } from './evaluator.ts';
import type { Proof, Schema } from './evaluator.ts';
import { createSchemaReader } from './schema-reader.ts';
import { tupleKey } from './tuple.ts';
import type { Tuple } from './tuple.ts';

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

  /**
   * Evaluates the relations over the tuples read so far, reads the missing ones, and repeats until
   * none is missing.
   */
  async function walk(
    known: Schema,
    subject: string,
    object: string,
    relations: readonly string[],
  ): Promise<Map<string, Proof>> {
    const read = new Set<string>();
    const tuples = new Map<string, Tuple>();
    for (;;) {
      const missing = new Map<string, LookUp>();
      const prove = createProver(known, tuples.values(), (target, relation) => {
        for (const wanted of lookUpsFor(known, { subject, object: target, relation })) {
          const name = JSON.stringify(wanted);
          if (!read.has(name)) missing.set(name, wanted);
        }
      });
      const proofs = new Map(relations.map((one) => [one, prove(subject, one, object)]));
      if (missing.size === 0) return proofs;
      for (const name of missing.keys()) read.add(name);
      if (read.size > MAX_READS) throw unavailable('the explanation needs too many reads');
      const wanted = [...missing.values()];
      for (let next = 0; next < wanted.length; next += READS_AT_ONCE) {
        const chunk = wanted.slice(next, next + READS_AT_ONCE);
        const found = await Promise.all(chunk.map(engine.lookUp));
        for (const tuple of found.flat()) tuples.set(tupleKey(tuple), tuple);
      }
    }
  }

  return async function explain({ subject, context }, relations, object = context) {
    try {
      return await walk(await readSchema(), subject, object, relations);
    } catch (error) {
      throw asRefusal(error) ?? unavailable('OpenFGA request failed', error);
    }
  };
}

/**
 * Returns the reads that a relation needs: the whole object if its subjects are groups (a role's
 * flags). Otherwise, only the tuples of the one subject, since an account may have a thousand keys,
 * and those of intermediate objects.
 */
export function lookUpsFor(
  schema: Schema,
  { subject, object, relation }: { subject: string; object: string; relation: string },
): LookUp[] {
  const subjects = [...(schema.get(typeOf(object))?.get(relation)?.subjects ?? [])];
  const isGroup = (one: string) => one.includes('#') || one.endsWith(':*');
  if (subjects.some(isGroup)) return [{ object }];
  // Subjects with relations of their own; there are few in one relation.
  const isIntermediate = subjects.some((one) => (schema.get(one)?.size ?? 0) > 0);
  return [
    ...(subjects.includes(typeOf(subject)) ? [{ object, user: subject }] : []),
    ...(isIntermediate ? [{ object, relation }] : []),
  ];
}
