import { Readable } from 'node:stream';
import type { FetchLike } from '@modelcontextprotocol/client';
import type { Outbound } from '../../platform/outbound/outbound.ts';
import { upstreamFailure } from './failure.ts';
import type { OpenResponses } from './open-responses.ts';
import { limitStructure } from './structure-limit.ts';

/** Maximum size of one response, including event streams. */
export const MAX_BYTES = 2_097_152;
/** Maximum size of all responses while something is listed, including unrelated messages. */
const MAX_LISTING_BYTES = 4_194_304;
// Longer than a connection lives; each request has its own, shorter timeout in the client.
const TIMEOUT_MS = 600_000;
// The only response headers the client reads; all others are dropped.
const READ_HEADERS = ['content-type', 'mcp-session-id'];
const EMPTY = new Set([204, 205, 304]);
// Servers may send others, which a `Response` cannot have.
const MAX_STATUS = 599;

export interface UpstreamFetchOptions {
  fairnessKey: string;
  open: OpenResponses;
  listensForChanges(): boolean;
  /** Whether tools, prompts or resources are listed now; then the total size is limited too. */
  isListing(): boolean;
  /** Called when a response ended early or exceeded a limit: the client might still wait for it. */
  onBroken(error: Error): void;
}

/** Adapts the SSRF-guarded HTTP client to the MCP client's `fetch`, for one connection. */
export function createUpstreamFetch(
  outbound: Pick<Outbound, 'open'>,
  { fairnessKey, open, listensForChanges, isListing, onBroken }: UpstreamFetchOptions,
): FetchLike {
  let listedBytes = 0;

  function countBytes(bytes: number): void {
    if (isListing() && (listedBytes += bytes) > MAX_LISTING_BYTES)
      throw upstreamFailure('sent more than 4 MB to list what it offers.');
  }

  function limitBody(body: Readable, headers: Readonly<Record<string, string>>): Readable {
    const isEvents = headers['content-type']?.includes('text/event-stream') === true;
    return limitStructure(body, { fairnessKey, isEvents, countBytes }).once('error', onBroken);
  }

  return async function fetchUpstream(url, init = {}) {
    const headers = new Headers(init.headers);
    // Do not open an event stream that nobody listens to; resuming a call's response is allowed.
    if (init.method === 'GET' && !headers.has('last-event-id') && !listensForChanges())
      return new Response(null, { status: 405 });
    open.add();
    let isHeld = true;
    const release = () => {
      if (isHeld) open.remove();
      isHeld = false;
    };
    try {
      const { status, body, ...head } = await outbound.open({
        url: String(url),
        method: init.method ?? 'GET',
        headers: Object.fromEntries(headers),
        ...(typeof init.body === 'string' ? { body: init.body } : {}),
        timeoutMs: TIMEOUT_MS,
        maxBytes: MAX_BYTES,
        ...(init.signal ? { signal: init.signal } : {}),
      });
      body.once('close', release);
      if (EMPTY.has(status) || status > MAX_STATUS) body.destroy();
      if (status > MAX_STATUS) throw upstreamFailure(`responded with HTTP ${status}.`, { status });
      return new Response(EMPTY.has(status) ? null : asWeb(limitBody(body, head.headers)), {
        status,
        headers: pick(head.headers),
      });
    } catch (error) {
      release();
      throw error;
    }
  };
}

// Node.js and the DOM declare the same class with different types.
const asWeb = (body: Readable) =>
  Readable.toWeb(body) as unknown as ConstructorParameters<typeof Response>[0];

const pick = (headers: Readonly<Record<string, string>>) =>
  READ_HEADERS.flatMap((name): [string, string][] => {
    const value = headers[name];
    return value === undefined ? [] : [[name, value]];
  });
