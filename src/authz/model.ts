import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { transformer } from '@openfga/syntax-transformer';
import type { AuthorizationModel, WriteAuthorizationModelRequest } from '@openfga/sdk';
import { canonicalJson } from '../platform/json/canonical-json.ts';
import { subjectText } from './evaluator.ts';

const MODEL_DIRECTORY = new URL('../../authz-model/', import.meta.url);

export interface Model {
  readonly model: WriteAuthorizationModelRequest;
  /** Of what the model decides, whichever way its parts are ordered or annotated. */
  readonly hash: string;
}

/** The committed modules of `authz-model/` as the one model OpenFGA takes. */
export async function loadModel(directory: URL = MODEL_DIRECTORY): Promise<Model> {
  const read = (name: string) => readFile(new URL(name, directory), 'utf8');
  const { schema, contents } = transformer.transformModFileToJSON(await read('fga.mod'));
  const names = contents.value.map(({ value }) => value);
  const files = await Promise.all(
    names.map(async (name) => ({ name, contents: await read(name) })),
  );

  return modelOf(files, schema.value);
}

function modelOf(files: { name: string; contents: string }[], schema: string): Model {
  const model = transformer.transformModuleFilesToModel(files, schema);
  return { model, hash: hashModel(model) };
}

/** Equal for a model as it was sent and as the server gives it back. */
export function hashModel(model: Omit<AuthorizationModel, 'id'>): string {
  const types = model.type_definitions.map((type) => ({
    type: type.type,
    relations: type.relations ?? {},
    subjects: Object.fromEntries(
      Object.entries(type.metadata?.relations ?? {}).map(
        ([relation, { directly_related_user_types }]) => [
          relation,
          (directly_related_user_types ?? []).map(subjectText).toSorted(),
        ],
      ),
    ),
  }));
  const decided = {
    schema: model.schema_version,
    types: types.toSorted((a, b) => (a.type < b.type ? -1 : 1)),
    conditions: model.conditions ?? {},
  };

  return createHash('sha256')
    .update(canonicalJson(withoutEmptyTexts(decided)))
    .digest('hex');
}

/** The server fills in empty texts, which decide nothing. */
const withoutEmptyTexts = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (_key, part: unknown) => (part === '' ? undefined : part)));
