import type { Principal } from '../caller/principal.ts';
import { asRefusal } from '../platform/outage.ts';
import { unavailable } from '../platform/refusal.ts';
import type { Engine } from './client.ts';
import { createProver, schemaOf } from './evaluator.ts';
import type { Proof, Schema } from './evaluator.ts';

/** Why relations hold for a caller on their own seat, or what is missing. */
export type Explain = (
  caller: Principal,
  relations: readonly string[],
) => Promise<ReadonlyMap<string, Proof>>;

/**
 * The pinned model evaluated over the tuples that are there now; what it says is evidence beside a
 * decision of the server, never one itself.
 */
export function createExplain(engine: Pick<Engine, 'read' | 'readModel'>): Explain {
  let schema: Promise<Schema> | null = null;

  // A pinned model never changes.
  function readSchema(): Promise<Schema> {
    schema ??= engine.readModel().then(schemaOf);
    schema.catch(() => (schema = null));
    return schema;
  }

  return async function explain({ subject, context }, relations) {
    try {
      const [known, tuples] = await Promise.all([readSchema(), engine.read(context, subject)]);
      const prove = createProver(known, tuples);
      return new Map(relations.map((relation) => [relation, prove(subject, relation, context)]));
    } catch (error) {
      throw asRefusal(error) ?? unavailable('OpenFGA did not answer', error);
    }
  };
}
