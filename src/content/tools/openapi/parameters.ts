import { FORBIDDEN_HEADERS } from '../../../platform/outbound/outbound.ts';
import { isRecord } from '../schema-walk.ts';
import { follow, listOf, plainText, recordOf, textOf, Unsupported } from './document.ts';
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

/** Set by the content type and the security of the operation instead. */
const NOT_PARAMETERS = new Set(['accept', 'authorization', 'content-type']);
const BODY_TYPES = [
  /^application\/(?:[\w.+-]+\+)?json\b/i,
  /^application\/x-www-form-urlencoded\b/i,
  /^text\/plain\b/i,
];

/**
 * Builds the arguments of an operation. Throws `Unsupported` for a required part that a template
 * cannot express; optional ones are left out.
 */
export function argumentsOf(given: Operation): Arguments {
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

  for (const parameter of parametersOf(given)) {
    const { name, in: place, description } = parameter;
    const isRequired = place === 'path' || parameter['required'] === true;
    if (!isSupported(parameter, given)) {
      if (!isRequired) continue;
      throw new Unsupported(
        'unsupported_parameter',
        `The ${textOf(place)} parameter ${textOf(name).slice(0, 80)} is required but not supported.`,
      );
    }
    const schema = withText(given.write(parameter['schema']), description);
    const placeholder = addArgument(textOf(name), schema, isRequired);
    if (place === 'path') found.path.set(textOf(name), placeholder);
    else if (place === 'query') found.query[textOf(name)] = placeholder;
    else found.headers[textOf(name)] = placeholder;
  }

  const body = bodyOf(given);
  if (body !== null && body.type !== 'application/json') found.headers['content-type'] = body.type;
  const template = body === null ? null : addArgument('body', body.schema, body.isRequired);
  return { properties, required, ...found, body: template };
}

/** Returns an operation's parameters, and those of its path that it does not override. */
function parametersOf({ document, path, operation }: Operation) {
  const all = [...listOf(path['parameters']), ...listOf(operation['parameters'])];
  const byPlace = new Map(
    all
      .map((parameter) => follow(document, parameter))
      .map((parameter) => [`${textOf(parameter['in'])} ${textOf(parameter['name'])}`, parameter]),
  );
  return [...byPlace.values()].filter(
    ({ in: place, name }) =>
      !(place === 'header' && NOT_PARAMETERS.has(textOf(name).toLowerCase())),
  );
}

/** Whether a template can express it: a plain value, or an array that a query repeats. */
function isSupported(parameter: Readonly<Record<string, unknown>>, { document }: Operation) {
  const { name, in: place, style, explode, schema } = parameter;
  if (typeof name !== 'string' || schema === undefined) return false;
  const { type } = follow(document, schema);
  const types = [type].flat();
  if (types.includes('object')) return false;
  const isPlain = !types.includes('array');
  if (place === 'path') return isPlain && (style ?? 'simple') === 'simple';
  if (place === 'header') return isPlain && !FORBIDDEN_HEADERS.has(name.toLowerCase());
  return place === 'query' && (style ?? 'form') === 'form' && (isPlain || explode !== false);
}

function bodyOf({ document, operation, write }: Operation) {
  if (operation['requestBody'] === undefined) return null;
  const body = follow(document, operation['requestBody']);
  const types = Object.entries(recordOf(body['content']));
  const [type, media] =
    BODY_TYPES.map((form) => types.find(([name]) => form.test(name))).find(Boolean) ?? [];
  const isRequired = body['required'] === true;
  if (type !== undefined) return { type, isRequired, schema: write(recordOf(media)['schema']) };
  if (!isRequired) return null;
  throw new Unsupported('unsupported_body', 'The body must be JSON, a form or text.');
}

function withText(schema: unknown, description: unknown): unknown {
  const text = plainText(description, 300);
  return text === '' || !isRecord(schema) ? schema : { ...schema, description: text };
}

/** Turns a parameter's name into an unused placeholder name. */
function freeName(name: string, taken: object): string {
  const plain = name.replaceAll(/[^A-Za-z0-9_-]+/g, '_').replace(/^(?![A-Za-z_])/, '_');
  const base = plain.slice(0, 60);
  let free = base;
  for (let count = 2; Object.hasOwn(taken, free); count += 1) free = `${base}_${count}`;
  return free;
}
