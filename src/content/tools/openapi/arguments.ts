import type { Encoding, HttpTemplate } from '../schema.ts';
import { bodyOf } from './bodies.ts';
import { recordOf } from './document.ts';
import type { Operation } from './document.ts';
import { parametersOf, withDescription } from './parameters.ts';
import type { WriteOptions } from './schemas.ts';
import type { Credentials } from './security.ts';

/** The arguments of an operation, and the parts of the request that they fill. */
export interface Arguments extends Required<
  Pick<HttpTemplate, 'query' | 'headers' | 'cookies' | 'body' | 'encoding'>
> {
  properties: Record<string, unknown>;
  required: string[];
  /** Placeholder of each path parameter. */
  placeholders: ReadonlyMap<string, string>;
}

/** Builds the arguments of an operation from its parameters and its body. */
export function argumentsOf(
  source: Operation,
  write: (schema: unknown, options?: WriteOptions) => unknown,
  credentials: Credentials,
): Arguments {
  const properties: Record<string, unknown> = {};
  const required: string[] = [];
  const placeholders = new Map<string, string>();
  const parts = {
    query: { ...credentials.query },
    headers: { ...credentials.headers },
    cookies: { ...credentials.cookies },
  };
  const encoding: Encoding = {};

  /** Adds an argument and returns its name. */
  function addArgument(name: string, schema: unknown, isRequired: boolean): string {
    const argument = freeName(name, properties);
    properties[argument] = schema;
    if (isRequired) required.push(argument);
    return argument;
  }

  const parameters = parametersOf(source, (location, name) => isSet(credentials, location, name));
  for (const { name, location, schema, isRequired, description, encoding: own } of parameters) {
    const isList = location === 'path' && own !== undefined;
    const written = {
      ...recordOf(withDescription(write(schema), description)),
      // A part of the path must not be empty.
      ...(isList ? { minItems: 1, minProperties: 1 } : {}),
    };
    const argument = addArgument(name, written, isRequired);
    if (location === 'path') placeholders.set(name, `{{${argument}}}`);
    else parts[location][name] = `{{${argument}}}`;
    if (own !== undefined)
      encoding[location] = {
        ...encoding[location],
        [location === 'path' ? argument : name]: own,
      };
  }

  const body = bodyOf(source, write);
  if (body !== null) {
    if (body.type !== 'application/json') parts.headers['content-type'] = body.type;
    if (Object.keys(body.encoding).length > 0) encoding.body = body.encoding;
  }
  const template =
    body === null ? null : `{{${addArgument('body', body.schema, body.isRequired)}}}`;
  return { properties, required, placeholders, ...parts, encoding, body: template };
}

/** Whether a credential already sets a parameter. Names of headers have no case. */
function isSet(credentials: Credentials, location: keyof Encoding, name: string): boolean {
  if (location === 'path' || location === 'body') return false;
  const names = Object.keys(credentials[location]);
  return location === 'headers'
    ? names.some((one) => one.toLowerCase() === name.toLowerCase())
    : names.includes(name);
}

/** Turns a parameter's name into an unused placeholder name. */
function freeName(name: string, taken: object): string {
  const plain = name.replaceAll(/[^A-Za-z0-9_-]+/g, '_').replace(/^(?![A-Za-z_])/, '_');
  const base = plain.slice(0, 60);
  let candidate = base;
  for (let count = 2; Object.hasOwn(taken, candidate); count += 1) candidate = `${base}_${count}`;
  return candidate;
}
