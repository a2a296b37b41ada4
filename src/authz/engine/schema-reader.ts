import type { Engine } from './client.ts';
import { schemaOf } from '../decisions/evaluator.ts';
import type { Schema } from '../decisions/evaluator.ts';

/** Creates the function that reads the pinned model, which never changes, once. */
export function createSchemaReader(engine: Pick<Engine, 'readModel'>): () => Promise<Schema> {
  let schema: Promise<Schema> | null = null;
  return () => {
    schema ??= engine.readModel().then(schemaOf);
    schema.catch(() => (schema = null));
    return schema;
  };
}
