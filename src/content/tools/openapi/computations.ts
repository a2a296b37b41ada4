import { parseJsonStrictly } from '../../../platform/http/body.ts';
import { isRefusal } from '../../../platform/errors/refusal.ts';
import { isRecord } from '../schema-walk.ts';
import { ToolFailure } from '../../../catalog/catalog.ts';
import { importOpenApi } from './import.ts';
import type { ImportResult } from './import.ts';
import { parseYaml } from './yaml.ts';

/** A document as its server or its importer sent it, and what to make of it. */
export interface ImportInput {
  bytes: Uint8Array;
  /** Its own URL, if it was downloaded. */
  url: string | undefined;
  operations: readonly string[] | undefined;
  takenNames: readonly string[];
}

/** The result of an import in a worker process; a document of another kind has no result. */
export type ImportOutput = { result: ImportResult } | { swagger: boolean };

export const maxResultCharacters = 4_000_000;

/** The computation that worker processes run: parses a document and generates its tools. */
export const tools = [
  {
    name: 'import_openapi',
    async compute(input: unknown): Promise<ImportOutput> {
      const { bytes, url, operations, takenNames } = input as ImportInput;
      const root = await parseDocument(new TextDecoder().decode(bytes));
      const taken = new Set(takenNames);
      const options = { operations, url, isTaken: (name: string) => taken.has(name) };
      const result = await importOpenApi(root, options);
      return result === null
        ? { swagger: root['swagger'] !== undefined }
        : { result: withoutUnstorable(result) };
    },
  },
];

async function parseDocument(text: string): Promise<Readonly<Record<string, unknown>>> {
  const root = await parse(text);
  if (isRecord(root)) return root;
  throw new ToolFailure('invalid_document', 'The document must be an object.');
}

/** Parses JSON, or else YAML, whose library is slower by far. */
async function parse(text: string): Promise<unknown> {
  try {
    return JSON.parse(text);
  } catch {
    return parseYaml(text);
  }
}

/** Skips tools that a request body could not contain either, such as those with NUL characters. */
function withoutUnstorable(result: ImportResult): ImportResult {
  const unstorable = result.tools.filter((tool) => !isStorable(tool));
  const skipped = unstorable.map(({ operation }) => ({
    operation,
    code: 'invalid_document' as const,
    message: 'The operation has characters or keys that are not accepted, or is nested too deeply.',
  }));
  const storable = result.tools.filter((tool) => !unstorable.includes(tool));
  return { ...result, tools: storable, skipped: [...result.skipped, ...skipped] };
}

function isStorable(tool: object): boolean {
  try {
    parseJsonStrictly(Buffer.from(JSON.stringify(tool)));
    return true;
  } catch (error) {
    if (isRefusal(error)) return false;
    throw error;
  }
}
