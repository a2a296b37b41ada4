import { ConcurrentUpdate } from '../../authz/authz.ts';
import type { Authority } from '../../caller/actor.ts';
import type { Connection } from '../../platform/postgres/database.ts';
import { isRefusal, unprocessable } from '../../platform/errors/refusal.ts';
import type { Items } from '../items/items.ts';
import type { Space } from '../spaces/space.ts';
import type { ItemRecord } from '../items/records.ts';
import { importOpenApi } from './openapi/import.ts';
import type { ImportedTool, SkippedOperation } from './openapi/import.ts';
import { HttpDraft } from './schema.ts';
import type { ToolContent, ToolImport } from './schema.ts';
import { readToolNames } from './store.ts';
import type { ErrorCode } from '../../platform/errors/error-codes.ts';

export interface ImportedTools {
  tools: (ItemRecord & { operation: string; needs: { secret: string; holds: string }[] })[];
  skipped: SkippedOperation[];
}

interface ImportToolsDependencies {
  create: Items<ToolContent>['create'];
  isReserved(name: string): boolean;
  pool: Connection;
}

/** Creates a tool for each operation; skips operations whose tool cannot be saved. */
export function createImportTools({ create, isReserved, pool }: ImportToolsDependencies) {
  return async function importTools(
    space: Space,
    { document, operations }: ToolImport,
    authority: Authority,
  ): Promise<ImportedTools> {
    const existingNames = new Set(await readToolNames(pool, space.id));
    const isTaken = (name: string) => existingNames.has(name) || isReserved(name);
    const found = await importOpenApi(document, { operations, isTaken });
    if (found === null)
      throw unprocessable('unsupported_document', 'Send an OpenAPI 3.0 or 3.1 document as JSON.', {
        detail: { pointer: '/document' },
      });
    const result: ImportedTools = { tools: [], skipped: [...found.skipped] };
    for (const tool of found.tools) {
      const saved = await save(space, tool, authority).catch((error: unknown) => {
        // A retry of the whole import would create the saved tools again.
        if (error instanceof ConcurrentUpdate && result.tools.length > 0)
          return skippedByConflict(tool);
        throw error;
      });
      if ('code' in saved) result.skipped.push(saved);
      else result.tools.push(saved);
    }
    return result;
  };

  async function save(space: Space, tool: ImportedTool, authority: Authority) {
    const { operation, secrets, ...fields } = tool;
    const skipped = (code: ErrorCode, message: string): SkippedOperation => ({
      operation,
      code,
      message,
    });
    const draft = HttpDraft.safeParse({ ...fields, kind: 'http' });
    if (!draft.success)
      return skipped('invalid_tool', 'The operation is too large for a custom tool.');
    const { name, secrets: _none, ...content } = draft.data;
    try {
      const record = await create(space, { name, content }, authority);
      const needs = secrets.map(({ name: secret, holds }) => ({ secret, holds }));
      return { ...record, operation, needs };
    } catch (error) {
      if (!isRefusal(error) || !EXPECTED.has(error.kind)) throw error;
      return skipped(error.code, error.message);
    }
  }
}

const skippedByConflict = ({ operation }: ImportedTool): SkippedOperation => ({
  operation,
  code: 'concurrent_update',
  message:
    'The account’s permissions changed during the import. Import the remaining operations again.',
});

const EXPECTED = new Set(['conflict', 'unprocessable']);
