import { setImmediate } from 'node:timers/promises';
import { toJsonPointer } from '../../../platform/json/json-pointer.ts';
import type { HttpTemplate } from '../schema.ts';
import type { Schema } from '../schema-walk.ts';
import { argumentsOf } from './arguments.ts';
import {
  resolveRef,
  openApiDocument,
  plainText,
  recordOf,
  UnsupportedOperation,
} from './document.ts';
import type { ImportWarning, OpenApiDocument, Operation } from './document.ts';
import { nameFor } from './names.ts';
import { checkResponses } from './responses.ts';
import { createSchemaWriter } from './schemas.ts';
import { credentialsOf } from './security.ts';
import { routeOf, serverOf } from './servers.ts';
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
  warnings: ImportWarning[];
}

export interface ImportOptions {
  /** Operations to import, as `operationId` or `GET /path`; all if absent. */
  operations?: readonly string[] | undefined;
  /** Whether a name is already in use or reserved. */
  isTaken(name: string): boolean;
  /** URL of the document, to which its servers may be relative. */
  url?: string | undefined;
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;
const OTHER_METHODS = ['head', 'options', 'trace'];
const MAX_OPERATIONS = 100;
const MAX_SKIPPED = 200;
const MAX_WARNINGS = 1_000;
const TIMEOUT_MS = 30_000;
const MAX_CHARACTERS = 32_000;
/** Depths to which schemas are written, until a tool's schema is small enough. */
const DEPTHS = [10, 6, 4, 3, 2];

interface FoundOperation {
  label: string;
  id: string;
  key: string;
  route: string;
  path: Readonly<Record<string, unknown>>;
  operation: Readonly<Record<string, unknown>>;
}

type Skip = (operation: string, code: ErrorCode, message: string) => void;

/**
 * Generates tools from a document; returns null if it is neither OpenAPI 3.0 nor 3.1. Operations
 * that cannot become tools are skipped. Only the requested operations are read beyond their names.
 */
export async function importOpenApi(
  root: Readonly<Record<string, unknown>>,
  { operations, isTaken, url }: ImportOptions,
): Promise<ImportResult | null> {
  const document = openApiDocument(root, url);
  if (document === null) return null;
  const requested = operations === undefined ? null : new Set(operations);
  const unknown = new Set(operations);
  const result: ImportResult = { tools: [], skipped: [], warnings: [] };
  const names = new Set<string>();
  const skip: Skip = (operation, code, message) =>
    void result.skipped.push({ operation, code, message });

  for (const found of operationsOf(document, skip)) {
    const { id, label } = found;
    if (requested !== null && !requested.has(id) && !requested.has(label)) continue;
    unknown.delete(id);
    unknown.delete(label);
    if (result.tools.length === MAX_OPERATIONS) {
      skip(label, 'too_many', `An import can create at most ${MAX_OPERATIONS} tools.`);
      continue;
    }
    try {
      const { warnings, ...tool } = toolOf(document, found);
      const name = nameFor(found, (candidate) => names.has(candidate) || isTaken(candidate));
      result.tools.push({ ...tool, name });
      result.warnings = result.warnings.concat(warnings);
      names.add(name);
    } catch (error) {
      if (!(error instanceof UnsupportedOperation)) throw error;
      skip(label, error.code, error.message);
    }
    // Yield to the event loop after each operation.
    await setImmediate();
  }
  for (const name of unknown)
    skip(name.slice(0, 200), 'unknown_operation', 'The document does not contain this operation.');
  return shorten(result);
}

/** Cuts off long lists; their last entry then says how many more there are. */
function shorten({ tools, skipped, warnings }: ImportResult): ImportResult {
  const more = (count: number, what: string) => ({
    operation: `${count} more ${what}`,
    code: 'too_many' as const,
    message: `There are ${count} more ${what}. Import fewer operations to see them.`,
  });
  const moreSkipped = skipped.length - MAX_SKIPPED;
  const moreWarnings = warnings.length - MAX_WARNINGS;
  return {
    tools,
    skipped: [
      ...skipped.slice(0, MAX_SKIPPED),
      ...(moreSkipped > 0 ? [more(moreSkipped, 'skipped operations')] : []),
    ],
    warnings: [
      ...warnings.slice(0, MAX_WARNINGS),
      ...(moreWarnings > 0
        ? [{ ...more(moreWarnings, 'warnings'), detail: { pointer: '/paths' } }]
        : []),
    ],
  };
}

function* operationsOf(document: OpenApiDocument, skip: Skip): Generator<FoundOperation> {
  for (const [route, value] of Object.entries(recordOf(document.root['paths']))) {
    if (route.startsWith('x-')) continue;
    const path = attempt(() => resolveRef(document, value));
    if (path instanceof UnsupportedOperation) skip(route.slice(0, 200), path.code, path.message);
    else yield* operationsAt(route, path, skip);
  }
}

function* operationsAt(
  route: string,
  path: Readonly<Record<string, unknown>>,
  skip: Skip,
): Generator<FoundOperation> {
  for (const key of [...METHODS, ...OTHER_METHODS]) {
    if (path[key] === undefined) continue;
    const operation = recordOf(path[key]);
    const label = `${key.toUpperCase()} ${route}`.slice(0, 200);
    const id = typeof operation['operationId'] === 'string' ? operation['operationId'] : label;
    if (OTHER_METHODS.includes(key))
      skip(label, 'unsupported_method', 'This HTTP method is not supported.');
    else yield { label, id, key, route, path, operation };
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

type Draft = Omit<ImportedTool, 'name'> & { warnings: ImportWarning[] };

/** Generates a tool, with schemas as deep as fit. */
function toolOf(document: OpenApiDocument, found: FoundOperation): Draft {
  let error: unknown;
  for (const depth of DEPTHS) {
    const tool = attempt(() => toolTo(depth, document, found));
    if (!(tool instanceof UnsupportedOperation)) return tool;
    error = tool;
    if (tool.code !== 'too_large') break;
  }
  throw error;
}

function toolTo(depth: number, document: OpenApiDocument, found: FoundOperation): Draft {
  const { label, key, route, path, operation } = found;
  const warnings: ImportWarning[] = [];
  const pathPointer = toJsonPointer(['paths', route]);
  const warn: Operation['warn'] = (code, message, pointer) =>
    void warnings.push({ operation: label, code, message, detail: { pointer } });
  const source = { document, path, operation, pathPointer, key, warn };
  const writer = createSchemaWriter(document, depth);
  const credentials = credentialsOf(document, operation);
  const { properties, required, placeholders, ...parts } = argumentsOf(
    source,
    writer.write,
    credentials,
  );
  checkResponses(source);
  if (writer.isSimplified())
    warn(
      'simplified_schema',
      `Parts of the arguments nested deeper than ${depth} levels accept any value.`,
      `${pathPointer}${toJsonPointer([key])}`,
    );
  const leftOut = [...writer.leftOut].join(' and ');
  if (leftOut !== '')
    warn(
      'simplified_schema',
      `The arguments are checked without ${leftOut}, which the server applies.`,
      `${pathPointer}${toJsonPointer([key])}`,
    );
  const input_schema = {
    type: 'object',
    properties,
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
  };
  if (JSON.stringify(input_schema).length > MAX_CHARACTERS)
    throw new UnsupportedOperation(
      'too_large',
      `The arguments require more than ${MAX_CHARACTERS} characters of schemas.`,
    );
  return {
    operation: label,
    ...textsOf(label, operation),
    input_schema,
    http: {
      method: key.toUpperCase() as HttpTemplate['method'],
      url: serverOf(source) + routeOf(route, placeholders),
      ...parts,
      timeout_ms: TIMEOUT_MS,
      response: { format: 'auto', query: null },
    },
    secrets: credentials.secrets,
    warnings,
  };
}

function textsOf(label: string, { summary, description }: Readonly<Record<string, unknown>>) {
  const texts = [summary, description].map((text) => plainText(text, 900));
  const all = [...new Set(texts.filter((text) => text !== ''))].join('\n\n');
  return {
    title: texts[0] === '' ? plainText(label, 200) : plainText(summary, 100),
    description: all === '' ? label : all,
  };
}
