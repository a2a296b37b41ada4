import { setImmediate } from 'node:timers/promises';
import type { HttpTemplate } from '../schema.ts';
import type { Schema } from '../schema-walk.ts';
import { follow, listOf, openApiDocument, plainText, recordOf, Unsupported } from './document.ts';
import type { OpenApiDocument } from './document.ts';
import { argumentsOf } from './parameters.ts';
import { createSchemaWriter } from './schemas.ts';
import { credentialsOf } from './security.ts';
import type { ErrorCode } from '../../../platform/errors/error-codes.ts';

/** A tool generated from one operation, and the secrets it needs. */
export interface ImportedTool {
  /** Method and path: `GET /pets/{id}`. */
  operation: string;
  name: string;
  title: string;
  description: string;
  input_schema: Schema;
  http: HttpTemplate;
  secrets: { name: string; holds: string }[];
}

export interface Skipped {
  operation: string;
  code: ErrorCode;
  message: string;
}

export interface Imported {
  tools: ImportedTool[];
  skipped: Skipped[];
}

export interface ImportOptions {
  /** Operations to import, as `operationId` or `GET /path`; all if absent. */
  operations?: readonly string[] | undefined;
  /** Whether a name is already in use or reserved. */
  isTaken(name: string): boolean;
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;
const OTHER_METHODS = ['head', 'options', 'trace'];
const MAX_OPERATIONS = 100;
const MAX_SKIPPED = 200;
const TIMEOUT_MS = 30_000;

interface Found {
  label: string;
  id: string;
  method: string;
  route: string;
  path: Readonly<Record<string, unknown>>;
  operation: Readonly<Record<string, unknown>>;
}

/**
 * Generates tools from a document; returns null if it is neither OpenAPI 3.0 nor 3.1. An invalid
 * operation is skipped, the rest is imported.
 */
export async function importOpenApi(
  root: Record<string, unknown>,
  { operations, isTaken }: ImportOptions,
): Promise<Imported | null> {
  const document = openApiDocument(root);
  if (document === null) return null;
  const remaining = operations === undefined ? null : new Set(operations);
  const tools: ImportedTool[] = [];
  const skipped: Skipped[] = [];
  const names = new Set<string>();
  const skip = (operation: string, code: ErrorCode, message: string) => {
    if (skipped.length < MAX_SKIPPED) skipped.push({ operation, code, message });
  };

  for (const found of operationsOf(document, skip)) {
    if (remaining !== null && !remaining.delete(found.id) && !remaining.delete(found.label))
      continue;
    if (tools.length === MAX_OPERATIONS) {
      skip(found.label, 'too_many', `An import can create at most ${MAX_OPERATIONS} tools.`);
      continue;
    }
    try {
      const name = freeName(found, (taken) => names.has(taken) || isTaken(taken));
      tools.push({ ...toolOf(document, found), name });
      names.add(name);
    } catch (error) {
      if (!(error instanceof Unsupported)) throw error;
      skip(found.label, error.code, error.message);
    }
    // Yield to the event loop after each operation.
    await setImmediate();
  }
  for (const name of remaining ?? [])
    skip(name.slice(0, 200), 'unknown_operation', 'The document does not contain this operation.');
  return { tools, skipped };
}

function* operationsOf(
  document: OpenApiDocument,
  skip: (operation: string, code: ErrorCode, message: string) => void,
): Generator<Found> {
  for (const [route, given] of Object.entries(recordOf(document.root['paths']))) {
    const path = attempt(() => follow(document, given));
    if (path instanceof Unsupported) skip(route.slice(0, 200), path.code, path.message);
    else yield* operationsAt(route, path, skip);
  }
}

function* operationsAt(
  route: string,
  path: Readonly<Record<string, unknown>>,
  skip: (operation: string, code: ErrorCode, message: string) => void,
): Generator<Found> {
  for (const method of [...METHODS, ...OTHER_METHODS]) {
    if (path[method] === undefined) continue;
    const operation = recordOf(path[method]);
    const label = `${method.toUpperCase()} ${route}`.slice(0, 200);
    const id = typeof operation['operationId'] === 'string' ? operation['operationId'] : label;
    if (OTHER_METHODS.includes(method))
      skip(label, 'unsupported_method', 'This HTTP method is not supported.');
    else yield { label, id, method: method.toUpperCase(), route, path, operation };
  }
}

function attempt<T>(work: () => T): T | Unsupported {
  try {
    return work();
  } catch (error) {
    if (error instanceof Unsupported) return error;
    throw error;
  }
}

function toolOf(document: OpenApiDocument, found: Found): Omit<ImportedTool, 'name'> {
  const { label, method, route, path, operation } = found;
  const write = createSchemaWriter(document);
  const given = argumentsOf({ document, path, operation, write });
  const credentials = credentialsOf(document, operation);
  const texts = [operation['summary'], operation['description']].map((text) =>
    plainText(text, 900),
  );
  const description = [...new Set(texts.filter((text) => text !== ''))].join('\n\n');
  return {
    operation: label,
    title: texts[0] === '' ? label : plainText(operation['summary'], 100),
    description: description === '' ? label : description,
    input_schema: {
      type: 'object',
      properties: given.properties,
      ...(given.required.length === 0 ? {} : { required: given.required }),
      additionalProperties: false,
    },
    http: {
      method: method as HttpTemplate['method'],
      url: serverOf(document, found) + routeOf(route, given.path),
      query: { ...given.query, ...credentials.query },
      headers: { ...given.headers, ...credentials.headers },
      body: method === 'GET' ? null : given.body,
      timeout_ms: TIMEOUT_MS,
      response: { format: 'auto', query: null },
    },
    secrets: credentials.secrets,
  };
}

/**
 * Returns the URL of the first server of the operation, else of its path or the document, with the
 * variables' defaults filled in.
 */
function serverOf({ root }: OpenApiDocument, { path, operation }: Found): string {
  const lists = [operation['servers'], path['servers'], root['servers']];
  const first = recordOf(lists.map((list) => listOf(list)[0]).find((server) => server));
  const variables = recordOf(first['variables']);
  const given = typeof first['url'] === 'string' ? first['url'] : '';
  const url = given.replaceAll(/\{([^{}]*)\}/g, (whole, name: string) => {
    const value = Object.hasOwn(variables, name) ? recordOf(variables[name])['default'] : whole;
    return typeof value === 'string' ? value : whole;
  });
  if (!/^https?:\/\/[^?#]*$/.test(url))
    throw new Unsupported(
      'no_server',
      'The document must name a server with an absolute URL, without query or fragment.',
    );
  return url.replace(/\/+$/, '');
}

function routeOf(route: string, placeholders: ReadonlyMap<string, string>): string {
  return route.replaceAll(/\{([^{}]*)\}/g, (_, name: string) => {
    const placeholder = placeholders.get(name);
    if (placeholder !== undefined) return placeholder;
    throw new Unsupported('invalid_document', 'The path contains an undeclared parameter.');
  });
}

/**
 * Builds an unused name of at most 64 characters `a-z 0-9 _ -`, without `__`, from the operation's
 * id, or from method and path if it has none.
 */
function freeName({ id, label, method, route }: Found, isTaken: (name: string) => boolean): string {
  const words = (id === label ? `${method} ${route}` : id)
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]+/g, '_')
    .replaceAll(/^_+|_+$/g, '');
  const base = words.slice(0, 56).replace(/_+$/, '') || 'tool';
  let name = base;
  for (let count = 2; isTaken(name); count += 1) name = `${base}_${count}`;
  return name;
}
