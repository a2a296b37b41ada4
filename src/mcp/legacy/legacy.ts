import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Log } from '../../platform/log.ts';
import type { RedisLink } from '../../platform/redis.ts';
import { capabilities as advertised } from '../advertised.ts';
import type { ServerInfo } from '../advertised.ts';
import type { Changes } from '../changes.ts';
import type { Dispatch } from '../dispatch.ts';
import { sendEmpty, sendError } from '../http.ts';
import type { Arrival, Leg } from '../leg.ts';
import { createAnswering } from './answering.ts';
import { createClientRequests } from './client-requests.ts';
import type { ExchangeTimings } from './exchange.ts';
import { createExchangeLog } from './exchange-log.ts';
import { createGetStream } from './get-stream.ts';
import { initialize } from './initialize.ts';
import { isRequest, isResponse } from './message.ts';
import type { Message } from './message.ts';
import { alreadyInitialized, missingSession, noBatch, refuseSession } from './refusals.ts';
import type { Session } from './session.ts';
import { createSessions } from './sessions.ts';
import { createSignals } from './signals.ts';

export interface LegacyDependencies {
  redis: RedisLink;
  dispatch: Dispatch;
  changes: Changes;
  serverInfo: ServerInfo;
  log: Log;
  /** More than the product has; tests alone give it. */
  capabilities?: object;
  timings?: Partial<ExchangeTimings>;
}

export interface LegacyLeg extends Leg {
  /** Ends the streams so that clients come back elsewhere, and lets running calls finish. */
  stop(): Promise<void>;
}

// Visible ASCII; whatever else came is no id of anybody.
const SESSION_HEADER = /^[\x21-\x7e]{1,200}$/;

/** The 2025 era: sessions that any instance can serve, since everything of one is in Redis. */
export function createLegacyLeg(dependencies: LegacyDependencies): LegacyLeg {
  const { redis, dispatch, changes, serverInfo, log } = dependencies;
  const sessions = createSessions(redis);
  const signals = createSignals(redis, log);
  const exchangeLog = createExchangeLog(redis);
  const clientRequests = createClientRequests();
  const timings = { quickMs: 1_000, turnMs: null, ...dependencies.timings };
  const exchanges = { sessions, signals, exchangeLog, log, timings };
  const answering = createAnswering({
    dispatch,
    sessions,
    signals,
    clientRequests,
    resourceVersions: changes.resourceVersions,
    exchanges,
    log,
  });
  const openGetStream = createGetStream({
    sessions,
    signals,
    exchangeLog,
    changes,
    log,
  });

  async function handle(request: IncomingMessage, response: ServerResponse, arrival: Arrival) {
    const id = request.headers['mcp-session-id'];
    if (request.method === 'POST' && isInitialize(arrival.body))
      return handleInitialize(response, arrival, id);
    if (typeof id !== 'string' || !SESSION_HEADER.test(id))
      return sendError(response, 400, missingSession, { id: answerId(arrival.body) });
    if (request.method === 'POST') return handlePost(response, arrival, id);
    if (request.method === 'DELETE') return handleDelete(response, arrival, id);
    return openGetStream(response, {
      caller: arrival.caller,
      sessionId: id,
      version: arrival.version,
      lastEventId: request.headers['last-event-id'],
    });
  }

  async function handleInitialize(
    response: ServerResponse,
    arrival: Arrival,
    sessionId: string | string[] | undefined,
  ) {
    const message = arrival.body as Message & { id: string | number };
    if (sessionId === undefined)
      return initialize(response, {
        caller: arrival.caller,
        message,
        sessions,
        capabilities: dependencies.capabilities ?? advertised,
        serverInfo,
      });
    const found = await sessions.use(arrival.caller, String(sessionId), null);
    if ('fault' in found) return refuseSession(response, found.fault, message.id);
    sendError(response, 400, alreadyInitialized, { id: message.id });
  }

  async function handlePost(response: ServerResponse, arrival: Arrival, id: string) {
    const { body, caller } = arrival;
    if (!Array.isArray(body) && isRequest(body as Message))
      return answering.answerRequest(response, arrival, id);
    const found = await sessions.use(caller, id, arrival.version);
    if ('fault' in found) return refuseSession(response, found.fault, answerId(body));
    if (!Array.isArray(body)) {
      await take(found.session, body as Message);
      return sendEmpty(response, 202);
    }
    const messages = body as Message[];
    if (found.session.version !== '2025-03-26' || messages.some(isInitialize))
      return sendError(response, 400, noBatch);
    for (const message of messages) if (!isRequest(message)) await take(found.session, message);
    const requests = messages.filter(isRequest);
    if (requests.length === 0) return sendEmpty(response, 202);
    return answering.answerBatch(response, arrival, { session: found.session, requests });
  }

  /** A notification or a response: it has no answer, whatever becomes of it. */
  async function take(session: Session, message: Message): Promise<void> {
    try {
      if (isResponse(message)) {
        const answer = { ...message };
        if (clientRequests.settle(session.key, answer)) return;
        await signals.publish(session.key, { type: 'response', message: answer });
      } else if (message.method === 'notifications/cancelled') {
        await answering.cancel(session, message.params);
      }
    } catch (error) {
      log.warn({ err: error }, 'a message of a session could not be passed on');
    }
  }

  async function handleDelete(response: ServerResponse, arrival: Arrival, id: string) {
    const state = await sessions.end(arrival.caller, id, arrival.version);
    if (state === 'live') return sendEmpty(response, 204);
    refuseSession(response, state);
  }

  return { handle, stop: answering.stop };
}

const isInitialize = (body: unknown): boolean =>
  typeof body === 'object' &&
  body !== null &&
  (body as { method?: unknown }).method === 'initialize' &&
  isRequest(body as Message);

function answerId(body: unknown): string | number | null {
  if (Array.isArray(body) || body === undefined) return null;
  const message = body as Message;
  return isRequest(message) ? message.id : null;
}
