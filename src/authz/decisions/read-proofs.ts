import type { LookUp } from '../engine/client.ts';
import { createProver, TupleIndex, typeOf } from './evaluator.ts';
import type { Schema } from './evaluator.ts';

type Prove = ReturnType<typeof createProver>;

/**
 * Creates a function that evaluates relations of a subject over tuples that are read as they turn out
 * to matter: again and again, until none is missing. What was read stays known, so that many subjects
 * can be evaluated.
 */
export function createReadProofs(
  schema: Schema,
  read: (wanted: readonly LookUp[], tuples: TupleIndex) => Promise<void>,
) {
  const known = new Set<string>();
  const tuples = new TupleIndex(schema);

  return async function readProofs<Result>(
    subject: string,
    evaluate: (prove: Prove) => Result,
  ): Promise<Result> {
    for (;;) {
      const missing = new Map<string, LookUp>();
      const prove = createProver(schema, tuples, (object, relation) => {
        for (const wanted of lookUpsFor(schema, { subject, object, relation })) {
          const name = JSON.stringify(wanted);
          if (!known.has(name)) missing.set(name, wanted);
        }
      });
      const result = evaluate(prove);
      if (missing.size === 0) return result;
      for (const name of missing.keys()) known.add(name);
      await read([...missing.values()], tuples);
    }
  };
}

/**
 * Returns the reads that a relation needs: the whole object if its subjects are groups (a role's
 * flags). Otherwise, only the tuples of the one subject, since an account may have a thousand keys,
 * and those of intermediate objects.
 */
function lookUpsFor(
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
