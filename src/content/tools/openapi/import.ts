import { setImmediate } from 'node:timers/promises';
import type { HttpTemplate } from '../schema.ts';
import type { Schema } from '../schema-walk.ts';
import {
  resolveRef,
  listOf,
  openApiDocument,
  plainText,
  recordOf,
  UnsupportedOperation,
} from './document.ts';
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

export interface SkippedOperation {
  operation: string;
  code: ErrorCode;
  message: string;
}

export interface ImportResult {
  tools: ImportedTool[];
  skipped: SkippedOperation[];
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

interface FoundOperation {
  label: string;
  id: string;
  method: string;
  route: string;
  path: Readonly<Record<string, unknown>>;
  operation: Readonly<Record<string, unknown>>;
}

/**
 * Generates tools from a document; returns null if it is neither OpenAPI 3.0 nor 3.1. Invalid
 * operations are skipped.
 */
export async function importOpenApi(
  root: Record<string, unknown>,
  { operations, isTaken }: ImportOptions,
): Promise<ImportResult | null> {
  const document = openApiDocument(root);
  if (document === null) return null;
  const remaining = operations === undefined ? null : new Set(operations);
  const tools: ImportedTool[] = [];
  const skipped: SkippedOperation[] = [];
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
      const name = freeName(found, (candidate) => names.has(candidate) || isTaken(candidate));
      tools.push({ ...toolOf(document, found), name });
      names.add(name);
    } catch (error) {
      if (!(error instanceof UnsupportedOperation)) throw error;
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
): Generator<FoundOperation> {
  for (const [route, value] of Object.entries(recordOf(document.root['paths']))) {
    const path = attempt(() => resolveRef(document, value));
    if (path instanceof UnsupportedOperation) skip(route.slice(0, 200), path.code, path.message);
    else yield* operationsAt(route, path, skip);
  }
}

function* operationsAt(
  route: string,
  path: Readonly<Record<string, unknown>>,
  skip: (operation: string, code: ErrorCode, message: string) => void,
): Generator<FoundOperation> {
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

function attempt<T>(work: () => T): T | UnsupportedOperation {
  try {
    return work();
  } catch (error) {
    if (error instanceof UnsupportedOperation) return error;
    throw error;
  }
}

function toolOf(document: OpenApiDocument, found: FoundOperation): Omit<ImportedTool, 'name'> {
  const { label, method, route, path, operation } = found;
  const write = createSchemaWriter(document);
  const parameters = argumentsOf({ document, path, operation, write });
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
      properties: parameters.properties,
      ...(parameters.required.length === 0 ? {} : { required: parameters.required }),
      additionalProperties: false,
    },
    http: {
      method: method as HttpTemplate['method'],
      url: serverOf(document, found) + routeOf(route, parameters.path),
      query: { ...parameters.query, ...credentials.query },
      headers: { ...parameters.headers, ...credentials.headers },
      body: method === 'GET' ? null : parameters.body,
      timeout_ms: TIMEOUT_MS,
      response: { format: 'auto', query: null },
    },
    secrets: credentials.secrets,
  };
}

/**
 * Returns the URL of the first server that the operation declares, else its path or the document,
 * with the defaults of its variables filled in.
 */
function serverOf({ root }: OpenApiDocument, { path, operation }: FoundOperation): string {
  const lists = [operation['servers'], path['servers'], root['servers']];
  const first = recordOf(lists.map((list) => listOf(list)[0]).find((server) => server));
  const variables = recordOf(first['variables']);
  const template = typeof first['url'] === 'string' ? first['url'] : '';
  const url = template.replaceAll(/\{([^{}]*)\}/g, (match, name: string) => {
    const value = Object.hasOwn(variables, name) ? recordOf(variables[name])['default'] : match;
    return typeof value === 'string' ? value : match;
  });
  if (!/^https?:\/\/[^?#]*$/.test(url))
    throw new UnsupportedOperation(
      'no_server',
      'The document must name a server with an absolute URL, without query or fragment.',
    );
  return url.replace(/\/+$/, '');
}

function routeOf(route: string, placeholders: ReadonlyMap<string, string>): string {
  return route.replaceAll(/\{([^{}]*)\}/g, (_, name: string) => {
    const placeholder = placeholders.get(name);
    if (placeholder !== undefined) return placeholder;
    throw new UnsupportedOperation(
      'invalid_document',
      'The path contains an undeclared parameter.',
    );
  });
}

/**
 * Builds an unused name of at most 64 characters `a-z 0-9 _ -`, without `__`, from the operation's
 * id, or from method and path if it has none.
 */
function freeName(
  { id, label, method, route }: FoundOperation,
  isTaken: (name: string) => boolean,
): string {
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
