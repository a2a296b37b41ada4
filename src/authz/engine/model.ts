import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { WriteAuthorizationModelRequest } from '@openfga/sdk';

const MODEL_DIRECTORY = new URL('../../../authz-model/', import.meta.url);
const readModelFile = (name: string) => readFile(new URL(name, MODEL_DIRECTORY), 'utf8');

let loaded: Promise<WriteAuthorizationModelRequest> | null = null;

/**
 * Combines the committed modules of `authz-model/` into the one model that OpenFGA accepts. They are
 * part of the program, so they are parsed once.
 */
export const loadModel = (): Promise<WriteAuthorizationModelRequest> => (loaded ??= parseModel());

async function parseModel(): Promise<WriteAuthorizationModelRequest> {
  // Imported on demand: the parser is tens of megabytes, and most starts publish nothing.
  const { transformer } = await import('@openfga/syntax-transformer');
  const manifest = transformer.transformModFileToJSON(await readModelFile('fga.mod'));
  const files = await Promise.all(
    manifest.contents.value.map(async ({ value: name }) => ({
      name,
      contents: await readModelFile(name),
    })),
  );
  return transformer.transformModuleFilesToModel(files, manifest.schema.value);
}

/**
 * Returns the part of a model that tuples are validated against: the relations that tuples can have,
 * and the types of their users. OpenFGA builds the graph of the whole model for each Write, so a Write of this
 * model costs it a fraction (docs/decisions/0052-model-of-tuples.md).
 */
export function tupleModelOf(
  model: WriteAuthorizationModelRequest,
): WriteAuthorizationModelRequest {
  const { schema_version, type_definitions, conditions } = model;
  return {
    schema_version,
    ...(conditions === undefined ? {} : { conditions }),
    type_definitions: type_definitions.map(({ type, metadata }) => {
      const assignable = Object.entries(metadata?.relations ?? {}).filter(
        ([, { directly_related_user_types = [] }]) => directly_related_user_types.length > 0,
      );
      return {
        type,
        relations: Object.fromEntries(assignable.map(([relation]) => [relation, { this: {} }])),
        metadata: { relations: Object.fromEntries(assignable) },
      };
    }),
  };
}

/**
 * Returns the hash that identifies a deployment's model. It covers the source files, so that a
 * gateway can compare it at start without the parser.
 */
export async function hashModelFiles(): Promise<string> {
  const manifest = await readModelFile('fga.mod');
  const hash = createHash('sha256').update(manifest);
  for (const [, name] of manifest.matchAll(/^\s*-\s*(\S+\.fga)\s*$/gm))
    hash.update(`\0${name}\0`).update(await readModelFile(name!));
  return hash.digest('hex');
}
