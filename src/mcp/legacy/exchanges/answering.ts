import type { ServerResponse } from 'node:http';
import { newId } from '../../../platform/ids.ts';
import type { Log } from '../../../platform/observability/log.ts';
import { asRefusal } from '../../../platform/errors/outage.ts';
import { reauthorized } from '../../protocol/authorization.ts';
import type {
  Call,
  CachedText,
  ErrorReply,
  MessageId,
  ProtocolError,
  Reply,
} from '../../protocol/call.ts';
import { writeCached, writeReply } from '../../protocol/call.ts';
import type { Cancellation } from '../../protocol/cancellation.ts';
import type { Dispatch } from '../../protocol/dispatch.ts';
import { failureReply } from '../../protocol/errors.ts';
import { HTTP_LAYER } from '../../protocol/http.ts';
import type { McpRequest } from '../../protocol/handler.ts';
import type { ResourceVersions } from '../../changes/watch.ts';
import type { ClientRequests } from './client-requests.ts';
import { Exchange } from './exchange.ts';
import type { ExchangeDependencies } from './exchange.ts';
import { createSessionCache } from '../sessions/session-cache.ts';
import type { RequestMessage } from './message.ts';
import { refuseSession } from '../refusals.ts';
import { Job } from './running.ts';
import type { RunningCalls } from './running.ts';
import type { Session, SessionFault } from '../sessions/session.ts';
import { SESSION_LIFETIME_SECONDS } from '../sessions/session.ts';
import type { Sessions } from '../sessions/sessions.ts';
import { changeSubscription } from '../streams/subscriptions.ts';

export interface RequestHandlerDependencies {
  dispatch: Dispatch;
  sessions: Sessions;
  clientRequests: ClientRequests;
  running: RunningCalls;
  resourceVersions: ResourceVersions;
  exchanges: ExchangeDependencies;
  log: Log;
}

interface ClientExchange {
  session: Session;
  context: McpRequest;
  exchange: Exchange;
}

/** Methods whose admission also checks and renews the session, in one round trip. */
const ADMITTED_METHODS = new Set(['tools/call', 'prompts/get', 'resources/read']);
const SUBSCRIPTION_METHODS = new Set(['resources/subscribe', 'resources/unsubscribe']);
/** Sent only to clients with an event id, which would otherwise try to resume forever. */
const cancelledReply: Reply = { error: { code: HTTP_LAYER, message: 'Request cancelled' } };

/** Creates the handler of session requests, from the session check to the end of the response. */
export function createRequestHandler(dependencies: RequestHandlerDependencies) {
  const { sessions, clientRequests, running, exchanges, log } = dependencies;
  const sessionCache = createSessionCache(sessions);

  async function handleRequest(response: ServerResponse, context: McpRequest, id: string) {
    const message = context.body as RequestMessage;
    const { caller, version } = context;
    const isCheckedLater = ADMITTED_METHODS.has(message.method);
    const found = await sessionCache.find(caller, id, { version, isCheckedLater });
    if ('fault' in found) return refuseSession(response, found.fault, message.id);
    return await handleRequests(response, context, { session: found.session, requests: [message] });
  }

  /** Handles a request or a batch; each request is dispatched and counted separately. */
  function handleRequests(
    response: ServerResponse,
    context: McpRequest,
    { session, requests }: { session: Session; requests: readonly RequestMessage[] },
  ): Promise<void> {
    const ids = requests.map((message) => message.id);
    const isBatch = Array.isArray(context.body);
    const exchange = new Exchange(exchanges, {
      caller: context.caller,
      session,
      response,
      isBatch,
      refuse: (fault) => refuseSession(response, fault, isBatch ? null : ids[0]),
      onSignal(signal) {
        if (signal.type === 'cancel') running.cancel(session.key, signal.request_id);
        if (signal.type === 'response') clientRequests.settle(session.key, signal.message);
      },
      async onListening() {
        // Apply cancellations that other instances received before this one started listening.
        const texts = await sessions.listCancelled(session);
        for (const id of ids) if (texts.has(JSON.stringify(id))) running.cancel(session.key, id);
      },
    });
    return running.track(exchange, async () => {
      const texts: (string | CachedText)[] = [];
      let latest = context;
      let retryAfterSeconds: number | undefined;
      for (const [index, message] of requests.entries()) {
        // Authenticate again for each message after the first: the key may no longer be valid.
        const identified = index === 0 ? latest : await identifyAgain(latest, log);
        if ('error' in identified) {
          texts.push(writeReply(message.id, identified));
          continue;
        }
        latest = identified;
        const result = await run(message, { session, context: latest, exchange });
        if ('fault' in result) return exchange.refuse(result.fault);
        if (result.text !== null) texts.push(result.text);
        ({ retryAfterSeconds } = result);
      }
      await exchange.finish(texts, retryAfterSeconds);
    });
  }

  /** Runs a request. `text` is null if it was cancelled and its exchange is not a stream. */
  function run(message: RequestMessage, target: ClientExchange) {
    const { session, exchange } = target;
    const job = new Job(session.key, message.id);
    const call = callOf(message, { target, cancellation: job, clientRequests });
    return running.run(job, async () => {
      const reply = await handleCall(call, session, dependencies);
      if ('unauthenticated' in reply) await throwIfUnanswered(reply, target);
      const state = call.session?.state ?? (await readState(sessions, call, session));
      if (state.status !== 'live') return { fault: state.status };
      if (job.isCancelled && !exchange.isStream) return noResponse;
      return replyTo(message.id, job.isCancelled ? cancelledReply : reply);
    });
  }

  return { answerRequest: handleRequest, answer: handleRequests };
}

/** What is sent for a request; `retryAfterSeconds` is set if the service was unavailable. */
interface MessageResponse {
  text: string | CachedText | null;
  retryAfterSeconds?: number | undefined;
}

const noResponse: MessageResponse = { text: null };

function replyTo(id: MessageId, reply: Reply): MessageResponse {
  if ('cached' in reply) return { text: writeCached(id, reply.cached) };
  const text = writeReply(id, reply);
  return 'error' in reply ? { text, retryAfterSeconds: reply.retryAfterSeconds } : { text };
}

/** Handles a request: as a subscription of its session, or by the dispatch. */
const handleCall = (call: Call, session: Session, dependencies: RequestHandlerDependencies) =>
  SUBSCRIPTION_METHODS.has(call.method)
    ? changeSubscription(call, session, dependencies).catch((error: unknown) =>
        failureReply(error, call, dependencies.log),
      )
    : dependencies.dispatch(call);

/** Throws, to be sent as HTTP 401, unless a batch or an open stream needs the reply itself. */
async function throwIfUnanswered(
  { unauthenticated }: ErrorReply,
  { context, exchange }: ClientExchange,
): Promise<void> {
  if (!Array.isArray(context.body) && (await exchange.abandon())) throw unauthenticated;
}

async function identifyAgain(
  context: McpRequest,
  log: Log,
): Promise<McpRequest | { error: ProtocolError }> {
  try {
    return await reauthorized(context);
  } catch (error) {
    const refusal = asRefusal(error);
    if (refusal === null) log.error({ err: error }, 'could not authenticate a message of a batch');
    const { code, message } = refusal ?? { code: 'internal_error', message: 'Internal error' };
    return { error: { code: HTTP_LAYER, message, data: { code } } };
  }
}

/** Checks the session if admission did not: a session fault takes precedence over any reply. */
async function readState(
  sessions: Sessions,
  call: Call,
  session: Session,
): Promise<{ status: 'live' | SessionFault }> {
  const found = await sessions.use(call.caller, session.id, call.session?.touch.version ?? null);
  return { status: 'fault' in found ? found.fault : 'live' };
}

interface CallParts {
  target: ClientExchange;
  cancellation: Cancellation;
  clientRequests: ClientRequests;
}

function callOf(
  { id, method, params }: RequestMessage,
  { target: { session, context, exchange }, cancellation, clientRequests }: CallParts,
): Call {
  const { key, credential, version, client } = session;
  return {
    era: '2025',
    // Messages of a batch share one HTTP request.
    call_id: Array.isArray(context.body) ? newId() : context.request_id,
    request_id: context.request_id,
    version,
    id,
    method,
    params,
    caller: context.caller,
    read_at: context.read_at,
    address: context.address,
    view: context.view,
    identify: context.identify,
    authorize: context.authorize,
    client,
    cancellation,
    notify(note) {
      // The exchange itself logs why a message could not be sent.
      exchange.send(JSON.stringify({ jsonrpc: '2.0', ...note })).catch(() => {});
    },
    request(question) {
      const send = (text: string) => exchange.send(text);
      return clientRequests.send(key, question, { cancellation, send });
    },
    session: {
      touch: {
        key,
        credential,
        version: context.version,
        lifetime_seconds: SESSION_LIFETIME_SECONDS,
      },
      state: ADMITTED_METHODS.has(method) ? undefined : { status: 'live', version },
    },
  };
}
