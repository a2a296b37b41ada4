import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Retry } from '../authz/authz.ts';
import type { Principal } from '../caller/principal.ts';
import { noProgress } from '../caller/progress.ts';
import { identifyNow, readFrom } from '../caller/read-identified.ts';
import type { Reply, Route } from '../caller/route.ts';
import type { TableFormat } from '../caller/table.ts';
import type { Idempotency } from '../idempotency/idempotency.ts';
import type { Jobs } from '../jobs/jobs.ts';
import { withinOrRollBack, withTimeout } from '../platform/concurrency/within.ts';
import { overdue, unavailable } from '../platform/errors/refusal.ts';
import { addressBucket } from '../platform/http/address-bucket.ts';
import type { Cursors } from '../platform/http/cursors.ts';
import type { Log } from '../platform/observability/log.ts';
import { createAttempts } from './attempt.ts';
import type { Attempt, Repeatable } from './attempt.ts';
import { contendedOn, createDecisions } from './decisions.ts';
import type { Decision, DecisionsDependencies, Incoming, Sender } from './decisions.ts';
import type { FactsOf } from './facts.ts';
import { idempotencyKeyOf } from './idempotency-key.ts';
import { createJobReplies } from './job-replies.ts';
import { createListCursors } from './list-cursors.ts';
import { createLongReplies, isLongReply } from './long-replies.ts';
import { createMayRequest } from './may-request.ts';
import { prefersAsync } from './prefer.ts';
import { createReauthenticate } from './reauthentication.ts';
import { readRequestBody } from './request-body.ts';
import type { SentReply } from './send-reply.ts';
import { splitFormat } from './table-format.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The declared route, in the API. */
    route?: Route;
  }
  interface FastifyRequest {
    /** What the hooks of the API have found out about the request so far. */
    rest: RestRequest;
  }
}

/** A request to the API, from `onRequest` on. */
interface RestRequest {
  route: Route;
  incoming: Incoming;
  /** Identifies the sender once more. */
  identify(): Promise<Principal | null>;
  sender: Sender;
  key: string | null;
  /** Deadline, in the time of `performance.now()`. */
  until: number;
  /** Of the reply; null for JSON. */
  format: TableFormat | null;
  repeatable: Repeatable | null;
  /** From `preHandler` on: what is handled, and the decision that it may be. */
  decided?: { request: ReadRequest; decision: Decision; closing: AbortSignal | null };
}

/** A request that was read, without what depends on how it is handled. */
type ReadRequest = Omit<Attempt, 'input'> & {
  input: Omit<Attempt['input'], 'beforeCommit' | 'progress'>;
};

export interface LifecycleDependencies extends DecisionsDependencies {
  idempotency: Pick<Idempotency, 'run'>;
  jobs: Pick<Jobs, 'begin'>;
  retry: Retry;
  routes: readonly Route[];
  cursors: Cursors;
  sessionCookie: string;
  factsOf: FactsOf;
  /** Ends streams of events. */
  shutdown: AbortSignal;
  log: Log;
}

// reliability.md 1.2. Each wait has its own limit; this one limits their sum. Fastify's
// `handlerTimeout` would include the time to receive the body, and cut off a long response.
const REQUEST_MS = 10_000;

/** A route without a body schema still rejects a body that is not a JSON object. */
export const NoFields = z.object({});

/** Returns the schema of a request's body; undefined if it has none. */
export const bodySchemaOf = ({ body, method }: Pick<Route, 'body' | 'method'>) =>
  body ?? (method === 'GET' ? undefined : NoFields);

/**
 * Creates the hooks and the handler of the API, in the order in which Fastify calls them: the sender
 * is identified, the body read and validated, the request authorized, then handled. What fails first
 * decides the response (decisions.md 2).
 */
export function createLifecycle(dependencies: LifecycleDependencies) {
  const { idempotency, jobs, retry, log, factsOf, sessionCookie } = dependencies;
  const decisions = createDecisions(dependencies);
  const { handle, attempt } = createAttempts({ idempotency, decisions });
  const mayRequestOf = createMayRequest(dependencies.routes, decisions);
  const cursors = createListCursors(dependencies.cursors);
  const longReplies = createLongReplies(dependencies);
  const beginJob = createJobReplies({ jobs, decisions, attempt, retry, log });

  /** `onRequest`: identifies the sender by the headers; throws 401, 403 or 503. */
  async function identify(request: FastifyRequest): Promise<void> {
    const began = performance.now();
    const route = request.routeOptions.config.route!;
    const { method, raw, params, query } = request;
    const { rawHeaders } = raw;
    const credentials = { method, rawHeaders, cookie: request.cookies[sessionCookie] };
    const incoming = { raw, credentials, params, query, facts: factsOf(request) };
    const identifySender = () => decisions.identify(route, incoming);
    const sender = await identifyNow(identifySender);
    request.rest = {
      ...{ route, incoming, sender, identify: identifySender, format: null, repeatable: null },
      key: idempotencyKeyOf(route, rawHeaders),
      until: began + (route.within_ms ?? REQUEST_MS),
    };
  }

  /** Parses content of every type; throws 413, 415 or 400. */
  async function readBody({ rest }: FastifyRequest): Promise<unknown> {
    const { route, incoming } = rest;
    const schema = bodySchemaOf(route);
    const { sender, body, body_ms } = await readFrom(rest.sender, rest.identify, (caller) => {
      const fairnessKey = caller?.quota_owner.id ?? addressBucket(incoming.facts.address);
      return readRequestBody(incoming.raw, { ...route, body: schema }, fairnessKey);
    });
    rest.sender = sender;
    // The time to receive the body does not count; it is limited where the body is read.
    rest.until += body_ms;
    return body;
  }

  /** `preValidation`: completes the body and the query that the schemas validate. */
  async function prepare(request: FastifyRequest): Promise<void> {
    const { rest } = request;
    // Fastify parses nothing if neither a type nor a length announces a body.
    if (request.body === undefined) request.body = await readBody(request);
    if (rest.key !== null) rest.repeatable = { key: rest.key, body: request.body };
    const { rawHeaders } = request.raw;
    const { format, query } = splitFormat(rest.route, request.query as object, rawHeaders);
    Object.assign(rest, { format });
    request.query = query;
  }

  /** `preHandler`: authorizes the sender; throws 400 for a foreign cursor, 429, 404 or 403. */
  async function decide(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const { rest, body } = request;
    const { route, incoming, sender, format, repeatable, until } = rest;
    // An invalid id in the path gets the same response as a well-formed unknown id.
    const params = route.params?.safeParse(incoming.params).data;
    const list = { route, caller: sender.caller, params };
    const query = cursors.openQuery(list, request.query);
    const facts = { body, request: incoming.facts };
    const input = {
      ...{ ...facts, params, query, format, mayRequest: mayRequestOf(incoming, sender.caller) },
      reauthenticate: createReauthenticate(route, facts, dependencies.requireReauthentication),
    };
    const read = { route, input, identify: rest.identify, repeatable, until };
    const closing = isLongReply(route, format) ? longReplies.enter(sender.caller, reply.raw) : null;
    const decision = await withTimeout(
      decisions.decide(read, sender),
      until - performance.now(),
      timeoutErrorOf(rest),
    );
    rest.decided = { request: read, decision, closing };
  }

  /** Handles the request; replies within the deadline. */
  async function respond({ rest }: FastifyRequest): Promise<SentReply> {
    const { route, incoming, sender, until } = rest;
    const { request: read, decision, closing } = rest.decided!;
    const work = (beforeCommit: () => void) => {
      const request = { ...read, input: { ...read.input, beforeCommit, progress: noProgress } };
      if (isJob(rest)) return beginJob(request, incoming, decision);
      return retry({
        attempt: () => handle(request, decision),
        retry: async () => attempt(request, await identifyNow(request.identify)),
        contended: contendedOn(route, sender.caller, incoming.params),
        until,
      });
    };
    const reply: Reply = await withinOrRollBack(
      work,
      until - performance.now(),
      timeoutErrorOf(rest),
    );
    if (closing !== null) {
      const check = decisions.createCheck(read, incoming, sender.caller);
      return longReplies.checked(reply, check, closing);
    }
    const list = { route, caller: sender.caller, params: read.input.params };
    return cursors.sealReply(list, reply);
  }

  return { identify, readBody, prepare, decide, respond };
}

const isJob = ({ route, incoming }: RestRequest): boolean =>
  route.job === true && prefersAsync(incoming.raw.rawHeaders);

/** Whether something may have been saved after the deadline decides what the response says. */
const timeoutErrorOf = (request: RestRequest) => () =>
  isJob(request) || request.route.rolls_back_late === true
    ? unavailable('request timed out')
    : overdue();
