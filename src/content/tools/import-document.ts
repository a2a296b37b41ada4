import type { WorkerPool } from '../../catalog/catalog.ts';
import { ToolFailure } from '../../catalog/catalog.ts';
import { createFairQueue } from '../../platform/concurrency/fair-queue.ts';
import type { QueueEntry } from '../../platform/concurrency/fair-queue.ts';
import { unavailable, unprocessable } from '../../platform/errors/refusal.ts';
import type { ErrorCode } from '../../platform/errors/error-codes.ts';
import type { Outbound } from '../../platform/outbound/outbound.ts';
import { OutboundError } from '../../platform/outbound/outbound-error.ts';
import type { ImportInput, ImportOutput } from './openapi/computations.ts';

const MAX_BYTES = 20 * 1_048_576;
const DOWNLOAD_MS = 15_000;
const TOTAL_MS = 40_000;

export interface ImportDocumentDependencies {
  outbound: Pick<Outbound, 'fetch'>;
  /** Processes that parse documents, so that none blocks the event loop. */
  documentWorkers: Pick<WorkerPool, 'compute'>;
}

/** Codes of the errors of an import. */
export const importDocumentErrors = [
  'address_not_public',
  'invalid_document',
  'invalid_response',
  'redirect_refused',
  'result_too_large',
  'timeout',
  'too_complex',
  'too_large',
  'unreachable',
  'upstream_error',
  'url_not_allowed',
] as const satisfies readonly ErrorCode[];

/** What to import: a document, or its URL; `fairnessKey` is the id of the quota owner. */
interface DocumentImport extends Omit<ImportInput, 'bytes'> {
  document: object | undefined;
  fairnessKey: string;
}

/**
 * Downloads the document unless it was sent, and generates its tools in a worker process; throws
 * 422 if that fails, or the reason of `ended`. Few downloads run at once, since each is held in memory until it was read.
 */
export function createImportDocument({ outbound, documentWorkers }: ImportDocumentDependencies) {
  const downloads = createFairQueue(DOWNLOADS);

  async function download(url: string, signal: AbortSignal): Promise<Uint8Array> {
    const { status, body } = await outbound.fetch({
      url,
      headers: { accept: 'application/json, application/yaml;q=0.9, */*;q=0.5' },
      timeoutMs: DOWNLOAD_MS,
      maxBytes: MAX_BYTES,
      signal,
    });
    if (status === 200) return body;
    throw new ToolFailure('upstream_error', `The server responded with status ${status}.`);
  }

  async function generate(input: ImportInput, entry: QueueEntry): Promise<ImportOutput> {
    const task = { tool: 'import_openapi', input, now: new Date() };
    // Only converts the document; nothing is saved.
    const requirePermitted = async () => {};
    return (await documentWorkers.compute(task, { ...entry, requirePermitted })) as ImportOutput;
  }

  async function generateByUrl(request: Omit<ImportInput, 'bytes'>, entry: QueueEntry) {
    await downloads.enter(entry);
    try {
      const bytes = await download(request.url ?? '', entry.signal);
      return await generate({ ...request, bytes }, entry);
    } finally {
      downloads.leave(entry);
    }
  }

  return async function importDocument(
    { document, fairnessKey, ...request }: DocumentImport,
    ended: AbortSignal,
  ): Promise<ImportOutput> {
    const signal = AbortSignal.any([ended, AbortSignal.timeout(TOTAL_MS)]);
    const entry = { signal, fairnessKey };
    try {
      if (document === undefined) return await generateByUrl(request, entry);
      return await generate({ ...request, bytes: Buffer.from(JSON.stringify(document)) }, entry);
    } catch (error) {
      ended.throwIfAborted();
      const pointer = document === undefined ? '/url' : '/document';
      const refuse = (code: ErrorCode, message: string) =>
        unprocessable(code, message, { detail: { pointer } });
      if (error instanceof OutboundError) throw refuse(error.code, messageOf(error));
      if (error === signal.reason) throw unavailable('no document worker was free in time', error);
      if (!(error instanceof ToolFailure)) throw error;
      if (error.code === 'busy') throw unavailable('all document workers are busy', error);
      throw refuse(error.code, messageIn(error));
    }
  };
}

// A slow server holds a slot for `DOWNLOAD_MS`, and a document until it was read. Owners whose
// documents took long come after others, so that a few of them cannot keep everyone else out.
const DOWNLOADS = {
  size: 8,
  sizePerKey: 1,
  maxWaiting: 32,
  maxWaitingPerKey: 1,
  halfLifeMs: 600_000,
  createBusyError: () => new ToolFailure('busy', 'Too many imports are waiting.'),
};

function messageOf({ code, message, details }: OutboundError): string {
  if (code === 'redirect_refused')
    return `${message} Use its target: ${String(details['location']).slice(0, 500)}`;
  return code === 'too_large' ? 'The document must have at most 20 MB.' : message;
}

const messageIn = ({ code, message }: ToolFailure): string =>
  code === 'too_complex'
    ? 'The document takes too long to read: use its JSON form, or name fewer operations.'
    : message;
