import { MAX_PROBLEMS } from '../../platform/errors/refusal.ts';
import { toJsonPointer } from '../../platform/json/json-pointer.ts';
import { isRecord, subschemasOf } from './schema-walk.ts';
import type { Schema } from './schema-walk.ts';

/** A part of a tool that some model APIs refuse, together with every other tool of the request. */
export interface PortabilityWarning {
  code: 'not_portable';
  message: string;
  /** JSON Pointer into the tool. */
  detail: { pointer: string };
}

const MAX_NAME = 64;
// A thousand tools of upstreams may have twenty warnings each, and names of a megabyte.
const MAX_POINTER = 2_000;
const PROPERTY_NAME = /^[A-Za-z0-9_.-]{1,64}$/;
/** Keywords that model APIs refuse next to `type: object` at the top of an input schema. */
const NOT_AT_TOP = ['anyOf', 'oneOf', 'allOf', 'enum', 'not'];

/**
 * Returns what model APIs refuse about a tool: its name over MCP, keywords at the top of its input
 * schema, and names of properties at any depth. Such a tool is still of use to other clients, so it
 * is accepted.
 */
export function portabilityWarnings(mcpName: string, input_schema: Schema): PortabilityWarning[] {
  return [
    ...nameWarnings(mcpName),
    ...NOT_AT_TOP.filter((keyword) => Object.hasOwn(input_schema, keyword)).map(keywordWarning),
    ...propertyWarnings(input_schema),
  ].slice(0, MAX_PROBLEMS);
}

const nameWarnings = ({ length }: string): PortabilityWarning[] =>
  length <= MAX_NAME
    ? []
    : [
        warning(
          '/name',
          `Over MCP the name has ${length} characters, counting the prefix of its space, and some ` +
            `model APIs accept at most ${MAX_NAME}: shorten it by ${length - MAX_NAME}.`,
        ),
      ];

const keywordWarning = (keyword: string) =>
  warning(
    `/input_schema/${keyword}`,
    `Some model APIs refuse \`${keyword}\` at the top of an input schema: describe all arguments ` +
      'in `properties`, and leave it out or move it into a property.',
  );

const propertyWarnings = (input_schema: Schema) =>
  [...subschemasOf(input_schema)].flatMap(({ schema: { properties }, pointer }) =>
    Object.keys(isRecord(properties) ? properties : {})
      .filter((name) => !PROPERTY_NAME.test(name))
      .map((name) =>
        warning(
          `/input_schema${pointer}${toJsonPointer(['properties', name])}`,
          'Some model APIs accept only names of properties with 1 to 64 characters of A-Z, a-z, ' +
            '0-9, _, . and -: rename the property.',
        ),
      ),
  );

const warning = (pointer: string, message: string): PortabilityWarning => ({
  code: 'not_portable',
  message,
  detail: { pointer: pointer.slice(0, MAX_POINTER) },
});
