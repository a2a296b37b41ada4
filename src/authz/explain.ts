import type { Principal } from '../caller/principal.ts';
import { asRefusal } from '../platform/errors/outage.ts';
import { unavailable } from '../platform/errors/refusal.ts';
import type { Engine, LookUp } from './client.ts';
import { createProver, schemaOf, typeOf } from './evaluator.ts';
import type { Proof, Schema } from './evaluator.ts';
import { tupleKey } from './tuple.ts';
import type { Tuple } from './tuple.ts';

/** Why relations hold for a caller on an object, by default its context object, or what is missing. */
export type Explain = (
  caller: Pick<Principal, 'subject' | 'context'>,
  relations: readonly string[],
  object?: string,
) => Promise<ReadonlyMap<string, Proof>>;

/** A person in some sixty teams; beyond it the explanation is refused, never cut short. */
const MAX_READS = 200;

/**
 * Evaluates the pinned model over the tuples that are there now. It walks from the object asked
 * about to the roles that decide, reading what the evaluation hangs on. What it says is evidence
 * beside a decision of the server, never one itself.
 */
export function createExplain(engine: Pick<Engine, 'lookUp' | 'readModel'>): Explain {
  let schema: Promise<Schema> | null = null;

  // A pinned model never changes.
  function readSchema(): Promise<Schema> {
    schema ??= engine.readModel().then(schemaOf);
    schema.catch(() => (schema = null));
    return schema;
  }

  /** Proves with what is known, reads what was lacking, and again until nothing was. */
  async function walk(
    known: Schema,
    subject: string,
    object: string,
    relations: readonly string[],
  ): Promise<Map<string, Proof>> {
    const read = new Set<string>();
    const tuples = new Map<string, Tuple>();
    for (;;) {
      const lacking = new Map<string, LookUp>();
      const prove = createProver(known, tuples.values(), (at, relation) => {
        for (const wanted of lookUpsFor(known, { subject, object: at, relation })) {
          const name = JSON.stringify(wanted);
          if (!read.has(name)) lacking.set(name, wanted);
        }
      });
      const proofs = new Map(relations.map((one) => [one, prove(subject, one, object)]));
      if (lacking.size === 0) return proofs;
      for (const name of lacking.keys()) read.add(name);
      if (read.size > MAX_READS) throw unavailable('an explanation would read too much');
      const found = await Promise.all([...lacking.values()].map(engine.lookUp));
      for (const tuple of found.flat()) tuples.set(tupleKey(tuple), tuple);
    }
  }

  return async function explain({ subject, context }, relations, object = context) {
    try {
      return await walk(await readSchema(), subject, object, relations);
    } catch (error) {
      throw asRefusal(error) ?? unavailable('OpenFGA did not answer', error);
    }
  };
}

/**
 * Names what to read of a relation: of an account with a thousand keys the one subject, of a role
 * the flags, else the objects it leads on to.
 */
function lookUpsFor(
  schema: Schema,
  { subject, object, relation }: { subject: string; object: string; relation: string },
): LookUp[] {
  const subjects = [...(schema.get(typeOf(object))?.get(relation)?.subjects ?? [])];
  const isGroup = (one: string) => one.includes('#') || one.endsWith(':*');
  if (subjects.some(isGroup)) return [{ object }];
  // A subject that has relations itself: few are in one relation.
  const leadsOn = subjects.some((one) => (schema.get(one)?.size ?? 0) > 0);
  return [
    ...(subjects.includes(typeOf(subject)) ? [{ object, user: subject }] : []),
    ...(leadsOn ? [{ object, relation }] : []),
  ];
}
