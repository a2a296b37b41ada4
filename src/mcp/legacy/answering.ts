import type { ServerResponse } from 'node:http';
import type { KeyCaller } from '../../caller/caller.ts';
import type { Log } from '../../platform/log.ts';
import type { Call, Reply } from '../call.ts';
import { writeReply } from '../call.ts';
import type { Dispatch } from '../dispatch.ts';
import { failureReply } from '../errors.ts';
import { HTTP_LAYER } from '../http.ts';
import type { Arrival } from '../leg.ts';
import type { ResourceVersions } from '../watches.ts';
import type { ClientRequests } from './client-requests.ts';
import { openExchange } from './exchange.ts';
import type { Exchange, ExchangeDependencies } from './exchange.ts';
import type { RequestMessage } from './message.ts';
import { refuseSession } from './refusals.ts';
import { createRunning } from './running.ts';
import type { Session, SessionFault } from './session.ts';
import { SESSION_LIFETIME_SECONDS } from './session.ts';
import type { Sessions } from './sessions.ts';
import type { Signal, Signals } from './signals.ts';
import { changeSubscription } from './subscriptions.ts';

export interface AnsweringDependencies {
  dispatch: Dispatch;
  sessions: Sessions;
  signals: Signals;
  clientRequests: ClientRequests;
  resourceVersions: ResourceVersions;
  exchanges: ExchangeDependencies;
  log: Log;
}

interface Answered {
  session: Session;
  arrival: Arrival;
  exchange: Exchange;
}

/** Methods whose admission also checks and touches the session, in one round trip. */
const ADMITTED = new Set(['tools/call', 'prompts/get', 'resources/read']);
const WATCHING = new Set(['resources/subscribe', 'resources/unsubscribe']);
const KNOWN_SESSIONS = 10_000;
const DRAIN_MS = 20_000;

/** Requests of sessions, from the session check to the last byte of the answer. */
export function createAnswering(dependencies: AnsweringDependencies) {
  const { dispatch, sessions, signals, clientRequests, exchanges, log } = dependencies;
  const running = createRunning();
  // What a session was made with never changes; whether it still is, is asked for every request.
  const known = new Map<string, Session>();

  async function find(arrival: Arrival, id: string, method: string) {
    const { caller, version } = arrival;
    const cached = known.get(sessions.keyOf(caller, id));
    const isAsked = !ADMITTED.has(method) || cached?.credential !== caller.key_id;
    if (!isAsked) return { session: cached, isAsked };
    const found = await sessions.use(caller, id, version);
    if ('fault' in found) return found;
    known.delete(found.session.key);
    known.set(found.session.key, found.session);
    if (known.size > KNOWN_SESSIONS) known.delete(known.keys().next().value!);
    return { session: found.session, isAsked };
  }

  async function answerRequest(response: ServerResponse, arrival: Arrival, id: string) {
    const message = arrival.body as RequestMessage;
    const found = await find(arrival, id, message.method);
    if ('fault' in found) return refuseSession(response, found.fault, message.id);
    const { session } = found;
    const exchange = open(response, arrival, session, [message]);
    const answer = await run(message, { session, arrival, exchange });
    if ('fault' in answer) return exchange.refuse(answer.fault);
    await exchange.finish(answer.text === null ? [] : [answer.text]);
  }

  async function answerBatch(
    response: ServerResponse,
    arrival: Arrival,
    { session, requests }: { session: Session; requests: readonly RequestMessage[] },
  ) {
    const exchange = open(response, arrival, session, requests);
    const texts: string[] = [];
    for (const message of requests) {
      const answer = await run(message, { session, arrival, exchange });
      if ('fault' in answer) return exchange.refuse(answer.fault);
      if (answer.text !== null) texts.push(answer.text);
    }
    await exchange.finish(texts);
  }

  function open(
    response: ServerResponse,
    { caller, body }: Arrival,
    session: Session,
    messages: readonly RequestMessage[],
  ): Exchange {
    const ids = messages.map((message) => message.id);
    const id = Array.isArray(body) ? null : (ids[0] ?? null);
    return openExchange(exchanges, {
      caller,
      session,
      response,
      isBatch: Array.isArray(body),
      refuse: (fault) => refuseSession(response, fault, id),
      hear: (signal) => hear(session, signal),
      listening: () => catchUp(session, ids),
    });
  }

  function hear(session: Session, signal: Signal): void {
    if (signal.type === 'cancel') running.cancel(session.key, signal.request_id);
    if (signal.type === 'response') clientRequests.settle(session.key, signal.message);
  }

  /** What was cancelled elsewhere before this instance listened. */
  async function catchUp(session: Session, ids: readonly (string | number)[]) {
    const cancelled = await sessions.cancelled(session);
    for (const id of ids) if (cancelled.has(JSON.stringify(id))) running.cancel(session.key, id);
  }

  /** One request; null text: it was cancelled before anything of it was sent. */
  async function run(message: RequestMessage, { session, arrival, exchange }: Answered) {
    const { caller, version } = arrival;
    const job = running.begin(session.key, message.id, exchange);
    const call: Call = {
      era: '2025',
      version: session.version,
      id: message.id,
      method: message.method,
      params: message.params,
      caller,
      view: arrival.view,
      client: session.client,
      signal: job.signal,
      notify(note) {
        // The exchange says itself why a message could not be sent.
        exchange.send(JSON.stringify({ jsonrpc: '2.0', ...note })).catch(() => {});
      },
      request: (asked) =>
        clientRequests.ask(session.key, asked, { signal: job.signal, send: exchange.send }),
      session: {
        touch: {
          key: session.key,
          credential: session.credential,
          version,
          lifetime_seconds: SESSION_LIFETIME_SECONDS,
        },
        state: ADMITTED.has(message.method)
          ? undefined
          : { status: 'live', version: session.version },
      },
    };
    try {
      const reply = await answerCall(call, session);
      const fault = await faultOf(call, session);
      if (fault !== null) return { fault };
      if (job.signal.aborted && !exchange.isStream) return { text: null };
      return { text: writeReply(message.id, job.signal.aborted ? cancelled : reply) };
    } finally {
      job.end();
    }
  }

  async function answerCall(call: Call, session: Session): Promise<Reply> {
    if (!WATCHING.has(call.method)) return dispatch(call);
    try {
      return await changeSubscription(call, session, dependencies);
    } catch (error) {
      return failureReply(error, call, log);
    }
  }

  /** A session that is none outranks any other answer; whoever was not asked is asked now. */
  async function faultOf(call: Call, session: Session): Promise<SessionFault | null> {
    const state = call.session?.state;
    if (state != null) return state.status === 'live' ? null : state.status;
    const found = await sessions.use(call.caller, session.id, call.session?.touch.version ?? null);
    return 'fault' in found ? found.fault : null;
  }

  async function cancel(session: Session, params: unknown): Promise<void> {
    const { requestId } = (params ?? {}) as { requestId?: unknown };
    if (typeof requestId !== 'string' && typeof requestId !== 'number') return;
    if (running.cancel(session.key, requestId)) return;
    await sessions.cancel(session, requestId);
  }

  async function stop(): Promise<void> {
    for (const exchange of running.exchanges()) exchange.handOver();
    await running.idle(DRAIN_MS);
  }

  return { answerRequest, answerBatch, cancel, stop };
}

/** Only for a client that holds an event id: it would come back for an answer for ever. */
const cancelled: Reply = { error: { code: HTTP_LAYER, message: 'Request cancelled' } };
