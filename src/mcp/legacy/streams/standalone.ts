import type { AgentPrincipal } from '../../../caller/principal.ts';
import type { Log } from '../../../platform/observability/log.ts';
import type { ChangeFeed } from '../../changes/changes.ts';
import type { EventStream } from '../../protocol/event-stream.ts';
import { revisionsOf } from '../../changes/watch.ts';
import type { Digests } from '../../changes/watch.ts';
import { RECONNECT_MS } from '../exchanges/exchange-stream.ts';
import { STREAM_EXPIRY_MS } from '../sessions/session.ts';
import type { Session } from '../sessions/session.ts';
import { RESOURCE } from '../sessions/session-memory.ts';
import type { NotifiedChange } from '../sessions/session-memory.ts';
import type { Sessions } from '../sessions/sessions.ts';

/** A stream opened with GET. */
export interface OpenGet {
  stream: EventStream;
  streamId: string;
  session: Session;
  caller: AgentPrincipal;
}

interface StandaloneDependencies {
  sessions: Sessions;
  changes: ChangeFeed;
  log: Log;
}

/**
 * Sends what changed for the session's credential; each change goes to exactly one stream of the
 * session, the newest (mcp.md 6.3).
 */
export async function followStandalone(
  { stream, streamId, session, caller }: OpenGet,
  after: number,
  { sessions, changes, log }: StandaloneDependencies,
): Promise<void> {
  const logDebug = (error: unknown) =>
    log.debug({ err: error }, 'could not update a session stream');
  let hasClaimed = false;
  // The last number received, and whether a later reply of Redis was lost: Redis may have counted
  // changes that were then never sent to the client.
  let last = after;
  let isLost = false;

  async function compare(now: AgentPrincipal, digests: Digests) {
    const isClaim = !hasClaimed;
    // Read after the digests, which may be newer than the caller they were computed for and must
    // not be recorded as what the client saw before.
    const latest = isClaim ? await changes.readAgain(caller) : now;
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
    const uris = await sessions.watched(session);
    const versions = uris.length === 0 ? new Map() : await changes.resourceVersions(now, uris);
    const watched = [...versions].map(([uri, version]) => [RESOURCE + uri, version] as const);
    return new Map([...Object.entries(digests), ...watched]);
  }

  const handle = changes.watch(caller, {
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
  if (name.startsWith(RESOURCE))
    return {
      jsonrpc: '2.0',
      method: 'notifications/resources/updated',
      params: { uri: name.slice(RESOURCE.length) },
    };
  return { jsonrpc: '2.0', method: `notifications/${name}/list_changed` };
}
