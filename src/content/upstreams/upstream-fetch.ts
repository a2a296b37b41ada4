import { Readable } from 'node:stream';
import type { FetchLike } from '@modelcontextprotocol/client';
import type { Outbound } from '../../platform/outbound/outbound.ts';
import { upstreamFailure } from './failure.ts';
import { limitStructure } from './structure-limit.ts';

/** Of one answer, a stream of events too. */
const MOST_BYTES = 2_097_152;
/** Of all answers until the tools are known: pages of them, and whatever comes beside. */
const MOST_OPENING_BYTES = 4_194_304;
const MOST_OPEN = 64;
// Longer than a connection lives; each request has its own, shorter deadline in the client.
const LONGEST_MS = 600_000;
// All the client reads of an answer's head, so that no other header can do anything.
const READ_HEADERS = ['content-type', 'mcp-session-id'];
const EMPTY = new Set([204, 205, 304]);

export interface UpstreamFetchOptions {
  listensForChanges(): boolean;
  /** Until its tools are known: nothing it says yet is what anybody asked for. */
  isOpening(): boolean;
  /** An answer broke off or a bound; the client may go on waiting for the rest of it. */
  broken(error: Error): void;
}

/** The guarded way out in the shape the MCP client asks for, for one connection. */
export function createUpstreamFetch(
  outbound: Pick<Outbound, 'open'>,
  { listensForChanges, isOpening, broken }: UpstreamFetchOptions,
): FetchLike {
  let running = 0;
  let openingBytes = 0;

  function take(bytes: number): void {
    if (isOpening() && (openingBytes += bytes) > MOST_OPENING_BYTES)
      throw upstreamFailure('answered with more than 4 MB before its tools were known.');
  }

  function limited(body: Readable, headers: Readonly<Record<string, string>>): Readable {
    const isEvents = headers['content-type']?.includes('text/event-stream') === true;
    return limitStructure(body, { isEvents, take }).once('error', broken);
  }

  return async function fetchUpstream(url, init = {}) {
    const headers = new Headers(init.headers);
    // A stream nobody listens to is not opened; resuming the answer of a call is another matter.
    if (init.method === 'GET' && !headers.has('last-event-id') && !listensForChanges())
      return new Response(null, { status: 405 });
    // A server may hold answers open after they came, so they are counted until they end.
    if (running >= MOST_OPEN) throw upstreamFailure('has too many answers under way.');
    running += 1;
    const release = () => void (running -= 1);
    try {
      const { status, body, ...head } = await outbound.open({
        url: String(url),
        method: init.method ?? 'GET',
        headers: Object.fromEntries(headers),
        ...(typeof init.body === 'string' ? { body: init.body } : {}),
        timeoutMs: LONGEST_MS,
        maxBytes: MOST_BYTES,
        ...(init.signal ? { signal: init.signal } : {}),
      });
      body.once('close', release);
      if (EMPTY.has(status)) body.destroy();
      return new Response(EMPTY.has(status) ? null : asWeb(limited(body, head.headers)), {
        status,
        headers: pick(head.headers),
      });
    } catch (error) {
      release();
      throw error;
    }
  };
}

// Node's and the DOM's types of one class.
const asWeb = (body: Readable) =>
  Readable.toWeb(body) as unknown as ConstructorParameters<typeof Response>[0];

const pick = (headers: Readonly<Record<string, string>>) =>
  READ_HEADERS.flatMap((name): [string, string][] => {
    const value = headers[name];
    return value === undefined ? [] : [[name, value]];
  });
