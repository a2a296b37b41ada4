import { FORBIDDEN_HEADERS } from '../../../platform/outbound/outbound.ts';
import { isRecord } from '../schema-walk.ts';
import {
  resolveRef,
  listOf,
  plainText,
  recordOf,
  textOf,
  UnsupportedOperation,
} from './document.ts';
import type { OpenApiDocument } from './document.ts';

/** The arguments of an operation and their placeholders in the request. */
export interface Arguments {
  properties: Record<string, unknown>;
  required: string[];
  /** Placeholder of each path parameter. */
  path: ReadonlyMap<string, string>;
  query: Record<string, string>;
  headers: Record<string, string>;
  body: string | null;
}

interface Operation {
  document: OpenApiDocument;
  path: Readonly<Record<string, unknown>>;
  operation: Readonly<Record<string, unknown>>;
  write(schema: unknown): unknown;
}

/** Headers that the operation's content type and security set instead. */
const IGNORED_HEADERS = new Set(['accept', 'authorization', 'content-type']);
const BODY_TYPES = [
  /^application\/(?:[\w.+-]+\+)?json\b/i,
  /^application\/x-www-form-urlencoded\b/i,
  /^text\/plain\b/i,
];

/**
 * Builds the arguments of an operation. Throws `UnsupportedOperation` for a required part that a
 * template cannot express; optional parts are left out.
 */
export function argumentsOf(source: Operation): Arguments {
  const properties: Record<string, unknown> = {};
  const required: string[] = [];
  const found = {
    path: new Map<string, string>(),
    query: {} as Record<string, string>,
    headers: {} as Record<string, string>,
  };

  /** Adds an argument; returns its placeholder. */
  function addArgument(name: string, schema: unknown, isRequired: boolean): string {
    const argument = freeName(name, properties);
    properties[argument] = schema;
    if (isRequired) required.push(argument);
    return `{{${argument}}}`;
  }

  for (const parameter of parametersOf(source)) {
    const { name, in: location, description } = parameter;
    const isRequired = location === 'path' || parameter['required'] === true;
    if (!isSupported(parameter, source)) {
      if (!isRequired) continue;
      throw new UnsupportedOperation(
        'unsupported_parameter',
        `The ${textOf(location)} parameter ${textOf(name).slice(0, 80)} is required but not supported.`,
      );
    }
    const schema = withDescription(source.write(parameter['schema']), description);
    const placeholder = addArgument(textOf(name), schema, isRequired);
    if (location === 'path') found.path.set(textOf(name), placeholder);
    else if (location === 'query') found.query[textOf(name)] = placeholder;
    else found.headers[textOf(name)] = placeholder;
  }

  const body = bodyOf(source);
  if (body !== null && body.type !== 'application/json') found.headers['content-type'] = body.type;
  const template = body === null ? null : addArgument('body', body.schema, body.isRequired);
  return { properties, required, ...found, body: template };
}

/** Returns an operation's parameters, and those of its path that it does not override. */
function parametersOf({ document, path, operation }: Operation) {
  const all = [...listOf(path['parameters']), ...listOf(operation['parameters'])];
  const byLocation = new Map(
    all
      .map((parameter) => resolveRef(document, parameter))
      .map((parameter) => [`${textOf(parameter['in'])} ${textOf(parameter['name'])}`, parameter]),
  );
  return [...byLocation.values()].filter(
    ({ in: location, name }) =>
      !(location === 'header' && IGNORED_HEADERS.has(textOf(name).toLowerCase())),
  );
}

/** Whether a template can express the parameter: a plain value, or an array in the query. */
function isSupported(parameter: Readonly<Record<string, unknown>>, { document }: Operation) {
  const { name, in: location, style, explode, schema } = parameter;
  if (typeof name !== 'string' || schema === undefined) return false;
  const { type } = resolveRef(document, schema);
  const types = [type].flat();
  if (types.includes('object')) return false;
  const isPlain = !types.includes('array');
  if (location === 'path') return isPlain && (style ?? 'simple') === 'simple';
  if (location === 'header') return isPlain && !FORBIDDEN_HEADERS.has(name.toLowerCase());
  return location === 'query' && (style ?? 'form') === 'form' && (isPlain || explode !== false);
}

function bodyOf({ document, operation, write }: Operation) {
  if (operation['requestBody'] === undefined) return null;
  const body = resolveRef(document, operation['requestBody']);
  const types = Object.entries(recordOf(body['content']));
  const [type, media] =
    BODY_TYPES.map((form) => types.find(([name]) => form.test(name))).find(Boolean) ?? [];
  const isRequired = body['required'] === true;
  if (type !== undefined) return { type, isRequired, schema: write(recordOf(media)['schema']) };
  if (!isRequired) return null;
  throw new UnsupportedOperation('unsupported_body', 'The body must be JSON, a form or text.');
}

function withDescription(schema: unknown, description: unknown): unknown {
  const text = plainText(description, 300);
  return text === '' || !isRecord(schema) ? schema : { ...schema, description: text };
}

/** Turns a parameter's name into an unused placeholder name. */
function freeName(name: string, taken: object): string {
  const plain = name.replaceAll(/[^A-Za-z0-9_-]+/g, '_').replace(/^(?![A-Za-z_])/, '_');
  const base = plain.slice(0, 60);
  let candidate = base;
  for (let count = 2; Object.hasOwn(taken, candidate); count += 1) candidate = `${base}_${count}`;
  return candidate;
}
