import type { ServerResponse } from 'node:http';
import type { AgentPrincipal } from '../../../caller/principal.ts';
import { newId } from '../../../platform/ids.ts';
import type { Log } from '../../../platform/observability/log.ts';
import { openEventStream } from '../../protocol/event-stream.ts';
import type { EventStream } from '../../protocol/event-stream.ts';
import { eventId } from './exchange-log.ts';
import type { ExchangeLog, ExchangeName } from './exchange-log.ts';
import type { Session, SessionFault } from '../sessions/session.ts';
import { STREAM_EXPIRY_MS } from '../sessions/session.ts';
import type { Sessions } from '../sessions/sessions.ts';
import type { Signal, Signals } from './signals.ts';

/** Connection of an exchange that became a stream. */
export interface ExchangeStream {
  stream: EventStream;
  name: ExchangeName;
  /** Stops receiving signals; call it when the calls end, not when the connection closes. */
  stopListening(): void;
}

/** Reason why no stream opens. `closed`: the client disconnected or already has its response. */
export type OpeningFault = SessionFault | 'full' | 'closed';

export interface ExchangeStreamDependencies {
  sessions: Sessions;
  signals: Signals;
  exchangeLog: ExchangeLog;
  log: Log;
  /** Time after which the connection is closed so that the client resumes; never if null. */
  maxConnectionMs: number | null;
}

export interface ExchangeStreamInput {
  caller: AgentPrincipal;
  session: Session;
  response: ServerResponse;
  /** Receives signals about the session from other instances. */
  onSignal(signal: Signal): void;
  /** Called when listening has started: from then on no signal is missed. */
  onListening(): Promise<void>;
}

export const RECONNECT_MS = 1_000;

/** Adds a stream to the session, listens for signals and starts the response. */
export async function openExchangeStream(
  { sessions, signals, exchangeLog, log, maxConnectionMs }: ExchangeStreamDependencies,
  { caller, session, response, onSignal, onListening }: ExchangeStreamInput,
): Promise<ExchangeStream | { fault: OpeningFault }> {
  // A client that disconnected before its first event has no event id to resume from.
  if (response.destroyed) return { fault: 'closed' };
  const logDebug = (error: unknown) =>
    log.debug({ err: error }, 'could not signal a session stream');
  const streamId = newId();
  const joined = await sessions.join(caller, session.id, {
    id: streamId,
    version: session.version,
    isExchange: true,
  });
  if ('fault' in joined) return joined;
  let live: EventStream | null = null;
  const stopListening = await signals.listen(session.key, (signal) => {
    if (signal.type === 'end') live?.end();
    else onSignal(signal);
  });
  const name = { sessionKey: session.key, number: joined.number };
  await Promise.allSettled([exchangeLog.open(name), onListening()]);
  if (response.headersSent || response.destroyed) {
    stopListening();
    await sessions.leave(session, streamId).catch(logDebug);
    return { fault: 'closed' };
  }
  const stream = openEventStream(response, { maxWaitingBytes: null });
  live = stream;
  renewWhileOpen(stream, { sessions, session, streamId, logDebug });
  if (session.version === '2025-11-25') {
    // Older clients treat an event without data as a malformed message.
    stream.send({ id: eventId(name, 0), data: '', retryMs: RECONNECT_MS });
    if (maxConnectionMs !== null) endLater(stream, maxConnectionMs);
  }
  return { stream, name, stopListening };
}

interface SessionStream {
  sessions: Sessions;
  session: Session;
  streamId: string;
  logDebug(error: unknown): void;
}

/** Renews a stream in its session while it is open, and removes it when it closes. */
export function renewWhileOpen(
  stream: EventStream,
  { sessions, session, streamId, logDebug }: SessionStream,
): void {
  const timer = setInterval(() => {
    sessions.renew(session, streamId, false).then((state) => {
      if (state === 'gone') stream.end();
    }, logDebug);
  }, STREAM_EXPIRY_MS / 3).unref();
  stream.onClose(() => {
    clearInterval(timer);
    sessions.leave(session, streamId).catch(logDebug);
  });
}

function endLater(stream: EventStream, afterMs: number): void {
  const timer = setTimeout(() => stream.end(), afterMs).unref();
  stream.onClose(() => clearTimeout(timer));
}
