import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Log } from '../../platform/observability/log.ts';
import type { RedisLink } from '../../platform/redis/redis.ts';
import { capabilities as advertised } from '../protocol/advertised.ts';
import type { ServerInfo } from '../protocol/advertised.ts';
import type { ChangeFeed } from '../changes/changes.ts';
import type { Dispatch } from '../protocol/dispatch.ts';
import { sendEmpty, sendError } from '../protocol/http.ts';
import type { McpRequest, ProtocolHandler } from '../protocol/handler.ts';
import type { Report } from '../protocol/reported.ts';
import { createRequestHandler } from './exchanges/answering.ts';
import { createClientRequests } from './exchanges/client-requests.ts';
import { createExchangeLog } from './exchanges/exchange-log.ts';
import { createGetStream } from './streams/get-stream.ts';
import { createInbox } from './streams/inbox.ts';
import { createInitialize } from './sessions/initialize.ts';
import { isInitialize, isRequest } from './exchanges/message.ts';
import type { Message } from './exchanges/message.ts';
import { missingSession, noBatch, refuseSession } from './refusals.ts';
import { createRunningCalls } from './exchanges/running.ts';
import { createSessions } from './sessions/sessions.ts';
import { createSignals } from './exchanges/signals.ts';

export interface LegacyDependencies {
  redis: RedisLink;
  dispatch: Dispatch;
  changes: ChangeFeed;
  serverInfo: ServerInfo;
  report: Report;
  log: Log;
  /** Server capabilities; overridden in tests only. */
  capabilities?: object;
  timings?: { streamAfterMs?: number; maxConnectionMs?: number | null };
}

export interface LegacyHandler extends ProtocolHandler {
  /** Makes clients resume open exchanges on other instances, and lets running calls finish. */
  stop(): Promise<void>;
}

type LegacyParts = ReturnType<typeof createParts>;

/** Creates the 2025 handler. Any instance can serve a session, since all its state is in Redis. */
export function createLegacyHandler(dependencies: LegacyDependencies): LegacyHandler {
  const parts = createParts(dependencies);
  return {
    stop: parts.running.stop,
    handle(request, response, context) {
      const id = request.headers['mcp-session-id'];
      if (request.method === 'POST' && isInitialize(context.body))
        return parts.initialize(response, context, id);
      if (typeof id !== 'string' || !SESSION_HEADER.test(id))
        return Array.isArray(context.body)
          ? sendError(response, 400, noBatch)
          : sendError(response, 400, missingSession, { id: responseId(context.body) });
      if (request.method === 'POST') return handlePost(parts, response, context, id);
      if (request.method === 'DELETE') return handleDelete(parts, response, context, id);
      return handleGet(parts, { request, response, context, id });
    },
  };
}

// Visible ASCII, as MCP requires; anything else is not a session id.
const SESSION_HEADER = /^[\x21-\x7e]{1,200}$/;
/** A call that has produced nothing after this long gets a stream as its response. */
const STREAM_AFTER_MS = 1_000;

function createParts(dependencies: LegacyDependencies) {
  const { redis, dispatch, changes, serverInfo, report, log } = dependencies;
  const { streamAfterMs = STREAM_AFTER_MS, maxConnectionMs = null } = dependencies.timings ?? {};
  const sessions = createSessions(redis, log);
  const signals = createSignals(redis, log);
  const exchangeLog = createExchangeLog(redis);
  const clientRequests = createClientRequests();
  const running = createRunningCalls();
  const capabilities = dependencies.capabilities ?? advertised;
  return {
    sessions,
    running,
    initialize: createInitialize({ sessions, capabilities, serverInfo, report }),
    inbox: createInbox({ sessions, signals, clientRequests, running, log }),
    openGetStream: createGetStream({ sessions, signals, exchangeLog, changes, log }),
    answering: createRequestHandler({
      dispatch,
      sessions,
      clientRequests,
      running,
      resourceVersions: changes.resourceVersions,
      exchanges: {
        sessions,
        signals,
        exchangeLog,
        log,
        streamAfterMs,
        maxConnectionMs,
      },
      log,
    }),
  };
}

function handlePost(parts: LegacyParts, response: ServerResponse, context: McpRequest, id: string) {
  const { body } = context;
  if (!Array.isArray(body) && isRequest(body as Message))
    return parts.answering.answerRequest(response, context, id);
  return handleMessages(parts, response, context, id);
}

/** Handles a batch, or a message that is not a request. */
async function handleMessages(
  { sessions, inbox, answering }: LegacyParts,
  response: ServerResponse,
  context: McpRequest,
  id: string,
): Promise<void> {
  const { body, caller } = context;
  const found = await sessions.use(caller, id, context.version);
  if ('fault' in found) return refuseSession(response, found.fault, responseId(body));
  const { session } = found;
  const messages = (Array.isArray(body) ? body : [body]) as Message[];
  if (Array.isArray(body))
    if (session.version !== '2025-03-26' || messages.some(isInitialize))
      return sendError(response, 400, noBatch);
  for (const message of messages) if (!isRequest(message)) await inbox.receive(session, message);
  const requests = messages.filter(isRequest);
  if (requests.length === 0) return sendEmpty(response, 202);
  return await answering.answer(response, context, { session, requests });
}

async function handleDelete(
  { sessions }: LegacyParts,
  response: ServerResponse,
  { caller, version }: McpRequest,
  id: string,
): Promise<void> {
  const state = await sessions.end(caller, id, version);
  if (state === 'live') return sendEmpty(response, 204);
  refuseSession(response, state);
}

interface Get {
  request: IncomingMessage;
  response: ServerResponse;
  context: McpRequest;
  id: string;
}

const handleGet = ({ openGetStream }: LegacyParts, { request, response, context, id }: Get) =>
  openGetStream(response, {
    context,
    sessionId: id,
    version: context.version,
    lastEventId: request.headers['last-event-id'],
  });

function responseId(body: unknown): string | number | null {
  if (Array.isArray(body) || body === undefined) return null;
  const message = body as Message;
  return isRequest(message) ? message.id : null;
}
