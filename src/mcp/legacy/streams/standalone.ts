import type { AgentPrincipal } from '../../../caller/principal.ts';
import type { Log } from '../../../platform/observability/log.ts';
import type { ChangeFeed } from '../../changes/changes.ts';
import type { EventStream } from '../../protocol/event-stream.ts';
import { revisionsOf } from '../../changes/watch.ts';
import type { Digests } from '../../changes/watch.ts';
import { RECONNECT_MS } from '../exchanges/exchange-stream.ts';
import { STREAM_EXPIRY_MS } from '../sessions/session.ts';
import type { Session } from '../sessions/session.ts';
import { RESOURCE_PREFIX } from '../sessions/session-memory.ts';
import type { NotifiedChange } from '../sessions/session-memory.ts';
import type { Sessions } from '../sessions/sessions.ts';

/** A stream opened with GET. */
export interface OpenGetStream {
  stream: EventStream;
  streamId: string;
  session: Session;
  caller: AgentPrincipal;
  /** Returns the client's address. */
  address(): string;
}

interface StandaloneDependencies {
  sessions: Sessions;
  changes: ChangeFeed;
  log: Log;
}

/**
 * Notifies the client of changes that the session's credential can see; each change is sent only on
 * the newest stream of the session (mcp.md 6.3).
 */
export async function followStandalone(
  { stream, streamId, session, caller, address }: OpenGetStream,
  after: number,
  { sessions, changes, log }: StandaloneDependencies,
): Promise<void> {
  const logDebug = (error: unknown) =>
    log.debug({ err: error }, 'could not update a session stream');
  let hasClaimed = false;
  // The last number received, and whether a later reply from Redis was lost: Redis may have counted
  // changes that were then never sent to the client.
  let last = after;
  let isLost = false;

  async function compare(now: AgentPrincipal, digests: Digests) {
    const isClaim = !hasClaimed;
    // Read after the digests: they may be newer than the caller they were computed for, and must
    // not be recorded as the state that the client saw before.
    const latest = isClaim ? await changes.reread(caller) : now;
    if (latest === null) return stream.end();
    const review = {
      streamId,
      isClaim,
      after: isClaim || isLost ? last : null,
      isChangedSinceInitialize: revisionsOf(latest) !== session.revisions,
      digests: await allDigests(now, digests),
    };
    isLost = true;
    const reviewed = await sessions.review(session, review);
    isLost = false;
    if (reviewed === null) return stream.end();
    hasClaimed = true;
    last = reviewed.last;
    // The first event shows that changes are sent from now on, and where to resume.
    if (isClaim && session.version === '2025-11-25')
      stream.send({ id: `g.${after}`, data: '', retryMs: RECONNECT_MS });
    for (const change of reviewed.changes.toSorted((a, b) => a.number - b.number))
      stream.send({ id: `g.${change.number}`, data: JSON.stringify(messageOf(change)) });
  }

  async function allDigests(now: AgentPrincipal, digests: Digests): Promise<Map<string, string>> {
    const uris = await sessions.listWatched(session);
    const versions = uris.length === 0 ? new Map() : await changes.resourceVersions(now, uris);
    const watched = [...versions].map(
      ([uri, version]) => [RESOURCE_PREFIX + uri, version] as const,
    );
    return new Map([...Object.entries(digests), ...watched]);
  }

  const handle = changes.watch(caller, {
    address,
    review: compare,
    end(reason) {
      if (reason === 'shutdown') stream.end({ retryMs: RECONNECT_MS });
      else stream.end();
    },
  });
  const timer = setInterval(() => {
    sessions.renew(session, streamId, true).then((state) => {
      if (state === 'gone') stream.end();
      if (state === 'taken_over') handle.reviewSoon();
    }, logDebug);
  }, STREAM_EXPIRY_MS / 3).unref();
  stream.onClose(() => {
    clearInterval(timer);
    handle.remove();
    sessions.leave(session, streamId).catch(logDebug);
  });
  // Request the first comparison, which is retried until it succeeds like any other.
  handle.reviewSoon();
}

function messageOf({ name }: NotifiedChange): object {
  if (name.startsWith(RESOURCE_PREFIX))
    return {
      jsonrpc: '2.0',
      method: 'notifications/resources/updated',
      params: { uri: name.slice(RESOURCE_PREFIX.length) },
    };
  return { jsonrpc: '2.0', method: `notifications/${name}/list_changed` };
}
