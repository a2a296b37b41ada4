import { ConcurrentUpdate } from '../../authz/authz.ts';
import type { Authority } from '../../caller/actor.ts';
import type { Progress } from '../../caller/progress.ts';
import type { QuotaOwner } from '../../caller/principal.ts';
import type { Queryable } from '../../platform/postgres/database.ts';
import { isRefusal, unprocessable } from '../../platform/errors/refusal.ts';
import type { Items } from '../items/items.ts';
import { listNames } from '../items/store.ts';
import { createImportDocument } from './import-document.ts';
import type { ImportDocumentDependencies } from './import-document.ts';
import { prefixOf, qualifiedName } from '../spaces/prefix.ts';
import type { Space } from '../spaces/space.ts';
import type { ItemRecord } from '../items/records.ts';
import type { ImportWarning } from './openapi/document.ts';
import type { ImportedTool, SkippedOperation } from './openapi/import.ts';
import { portabilityWarnings } from './portability.ts';
import { HttpDraft } from './schema.ts';
import type { ToolImport } from './openapi/schema.ts';
import type { ToolContent } from './schema.ts';
import type { ErrorCode } from '../../platform/errors/error-codes.ts';

export interface ImportedTools {
  tools: (ItemRecord & { operation: string; needs: { secret: string; holds: string }[] })[];
  skipped: SkippedOperation[];
  warnings: ImportWarning[];
}

export interface ImportToolsDependencies extends ImportDocumentDependencies {
  create: Items<ToolContent>['create'];
  /** Names that custom tools cannot have. */
  reserved: ReadonlySet<string>;
  pool: Queryable;
  /** Throws `limited` if the quota owner downloads descriptions too often. */
  limitDiscovery(quota_owner: QuotaOwner): Promise<void>;
}

/** Who imports, and who wants to know how far it is. */
export interface ImportContext {
  authority: Authority;
  /** Returns the authority again after it has changed; throws if it was lost. */
  renew(): Promise<Authority>;
  progress: Progress;
}

/** Creates a tool for each operation; skips operations whose tool cannot be saved. */
export function createImportTools(dependencies: ImportToolsDependencies) {
  const { create, reserved, pool, limitDiscovery } = dependencies;
  const importDocument = createImportDocument(dependencies);

  /** Generates the tools of a document, in a worker process. */
  async function generate(
    space: Space,
    { document, url, operations }: ToolImport,
    signal: AbortSignal,
  ) {
    const { quota_owner } = space;
    if (url !== undefined) await limitDiscovery(quota_owner);
    const stored = await listNames(pool, { space_id: space.id, family: 'tool' });
    const takenNames = [...reserved, ...stored];
    const fairnessKey = quota_owner.id;
    const output = await importDocument(
      { document, url, operations, takenNames, fairnessKey },
      signal,
    );
    if ('result' in output) return output.result;
    throw unsupportedDocument(url === undefined ? '/document' : '/url', output.swagger);
  }

  return async function importTools(
    space: Space,
    request: ToolImport,
    { progress: { report, signal }, ...context }: ImportContext,
  ): Promise<ImportedTools> {
    const found = await generate(space, request, signal);
    const result: ImportedTools = { tools: [], skipped: [...found.skipped], warnings: [] };
    let { authority } = context;
    for (const [index, tool] of found.tools.entries()) {
      signal.throwIfAborted();
      report(index, found.tools.length);
      const saved = await save(space, tool, authority).catch(async (error: unknown) => {
        // A retry of the whole import would create the saved tools again.
        if (!(error instanceof ConcurrentUpdate) || result.tools.length === 0) throw error;
        authority = await renewed(context, authority);
        return save(space, tool, authority).catch(skipIfConcurrent(tool));
      });
      if ('code' in saved) result.skipped.push(saved);
      else result.tools.push(saved);
    }
    report(found.tools.length, found.tools.length);
    const created = new Set(result.tools.map(({ operation }) => operation));
    result.warnings = [
      ...found.warnings.filter(
        // The last entry of a long list counts the others.
        ({ operation, code }) => created.has(operation) || code === 'too_many',
      ),
      ...result.tools.flatMap((tool) => portabilityOf(space, tool)),
    ];
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

function portabilityOf(space: Space, tool: ImportedTools['tools'][number]): ImportWarning[] {
  const { operation, name, input_schema } = tool as typeof tool & HttpDraft;
  const mcpName = qualifiedName(prefixOf(space), { family: 'tool', name });
  return portabilityWarnings(mcpName, input_schema).map((one) => ({ operation, ...one }));
}

const unsupportedDocument = (pointer: string, isSwagger: boolean) =>
  unprocessable(
    'unsupported_document',
    isSwagger
      ? 'This is a Swagger 2.0 document. Convert it to OpenAPI 3, for example with ' +
          'https://converter.swagger.io or `npx swagger2openapi`, and import the result.'
      : 'The document must be OpenAPI 3.0 or 3.1.',
    { detail: { pointer } },
  );

/**
 * Returns the authority as it is now. If it was lost, returns the old one, whose changes are refused:
 * the rest is then skipped, and the response still lists what was saved.
 */
const renewed = ({ renew }: Pick<ImportContext, 'renew'>, old: Authority): Promise<Authority> =>
  renew().catch((error: unknown) => {
    if (isRefusal(error)) return old;
    throw error;
  });

const skipIfConcurrent = (tool: ImportedTool) => (error: unknown) => {
  if (error instanceof ConcurrentUpdate) return skippedByConflict(tool);
  throw error;
};

const skippedByConflict = ({ operation }: ImportedTool): SkippedOperation => ({
  operation,
  code: 'concurrent_update',
  message:
    'The account’s permissions changed during the import. Import the remaining operations again.',
});

const EXPECTED = new Set(['conflict', 'unprocessable']);
