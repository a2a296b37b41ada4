import type { ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { newId } from '../../../platform/ids.ts';
import type { Log } from '../../../platform/observability/log.ts';
import { unavailable } from '../../../platform/errors/refusal.ts';
import type { ChangeFeed } from '../../changes/changes.ts';
import { stillAuthorized } from '../../protocol/authorization.ts';
import { MAX_WAITING_BYTES, openEventStream } from '../../protocol/event-stream.ts';
import type { McpRequest } from '../../protocol/handler.ts';
import { sendError } from '../../protocol/http.ts';
import { eventId } from '../exchanges/exchange-log.ts';
import type { ExchangeLog, Page } from '../exchanges/exchange-log.ts';
import { renewWhileOpen } from '../exchanges/exchange-stream.ts';
import { refuseSession, tooManyStreams } from '../refusals.ts';
import type { Session } from '../sessions/session.ts';
import type { Sessions } from '../sessions/sessions.ts';
import type { Signals } from '../exchanges/signals.ts';
import { followStandalone } from './standalone.ts';
import type { OpenGetStream } from './standalone.ts';

export interface GetStreamDependencies {
  sessions: Sessions;
  signals: Signals;
  exchangeLog: ExchangeLog;
  changes: ChangeFeed;
  log: Log;
}

interface GetStreamInput {
  context: McpRequest;
  sessionId: string;
  version: string | null;
  lastEventId: string | string[] | undefined;
}

const EXCHANGE_EVENT = /^p(\d{1,15})\.(\d{1,9})$/;
const STANDALONE_EVENT = /^g\.(\d{1,15})$/;
const POLL_MS = 200;
// Longer than any tool may take: if an exchange is silent for longer, its instance is considered
// dead.
const IDLE_MS = 90_000;
const DRAIN_MS = 30_000;

/** Creates the handler of GET, which resumes an exchange or follows the session's own stream. */
export function createGetStream(dependencies: GetStreamDependencies) {
  const { sessions, signals, exchangeLog, changes, log } = dependencies;
  const logDebug = (error: unknown) =>
    log.debug({ err: error }, 'could not remove a session stream');

  const endUnread = (error: unknown) => {
    log.warn({ err: error }, 'ending a session stream: its stored events could not be read');
    return null;
  };

  return async function openGetStream(response: ServerResponse, input: GetStreamInput) {
    const { context, sessionId, version } = input;
    const streamId = newId();
    const joined = await sessions.join(context.caller, sessionId, {
      id: streamId,
      version,
      isExchange: false,
    });
    if ('fault' in joined) {
      if (joined.fault === 'full') return sendError(response, 409, tooManyStreams);
      return refuseSession(response, joined.fault);
    }
    const { session } = joined;
    const lastEventId = String(input.lastEventId ?? '');
    const leave = async (error: unknown): Promise<never> => {
      await sessions.leave(session, streamId).catch(logDebug);
      throw error;
    };
    const rest = await findRest(exchangeLog, session, lastEventId).catch((error: unknown) =>
      leave(unavailable('the stored events of an exchange could not be read', error)),
    );
    const { caller } = await Promise.resolve(stillAuthorized(context)).catch(leave);
    const stream = openEventStream(response, {
      maxWaitingBytes: rest === null ? MAX_WAITING_BYTES : null,
    });
    const open: OpenGetStream = { stream, streamId, session, caller, address: context.address };
    const stopListening = await signals.listen(session.key, (signal) => {
      if (signal.type === 'end') stream.end();
    });
    stream.onClose(stopListening);
    if (rest !== null) return replay(open, rest);
    const after = Number(STANDALONE_EVENT.exec(lastEventId)?.[1] ?? 0);
    return followStandalone(open, after, { sessions, changes, log });
  };

  async function replay(
    open: OpenGetStream,
    { exchange, position: from, page: first }: ExchangeRest,
  ) {
    const { stream, session, streamId, caller, address } = open;
    // A credential that is revoked in the meantime must not receive further events.
    const watching = changes.watch(caller, {
      ...{ address, review: async () => {} },
      end: () => stream.end(),
    });
    stream.onClose(watching.remove);
    renewWhileOpen(stream, { sessions, session, streamId, logDebug });
    let page: Page | null = first;
    let position = from;
    let lastReceivedAt = performance.now();
    while (stream.isOpen && page !== null) {
      for (const event of page.events) {
        position = event.position;
        lastReceivedAt = performance.now();
        stream.send({ id: eventId(exchange, position), data: event.data });
        await stream.waitUntilDrained(DRAIN_MS);
      }
      if (page.isClosed || performance.now() - lastReceivedAt > IDLE_MS) break;
      if (page.events.length === 0) await pause(POLL_MS);
      page = await exchangeLog.read(exchange, position).catch(endUnread);
    }
    stream.end();
  }
}

/** Returns the rest of an exchange; null if the event id does not name a stored one. */
async function findRest(
  exchangeLog: ExchangeLog,
  session: Session,
  lastEventId: string,
): Promise<ExchangeRest | null> {
  const [, number, position] = EXCHANGE_EVENT.exec(lastEventId) ?? [];
  if (number === undefined || position === undefined) return null;
  const exchange = { sessionKey: session.key, number: Number(number) };
  const page = await exchangeLog.read(exchange, Number(position));
  return page === null ? null : { exchange, position: Number(position), page };
}

interface ExchangeRest {
  exchange: { sessionKey: string; number: number };
  position: number;
  page: Page;
}
