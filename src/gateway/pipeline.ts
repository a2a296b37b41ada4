import { z } from 'zod';
import type { Retry } from '../authz/authz.ts';
import type { Principal } from '../caller/principal.ts';
import { always } from '../caller/once.ts';
import type { Once } from '../caller/once.ts';
import { noProgress } from '../caller/progress.ts';
import { identifyNow, readIdentified } from '../caller/read-identified.ts';
import type { Reply, Route } from '../caller/route.ts';
import type { Idempotency } from '../idempotency/idempotency.ts';
import type { Jobs } from '../jobs/jobs.ts';
import { overdue, unavailable } from '../platform/errors/refusal.ts';
import type { Cursors } from '../platform/http/cursors.ts';
import { addressBucket } from '../platform/http/address-bucket.ts';
import { withinOrRollBack } from '../platform/concurrency/within.ts';
import type { Log } from '../platform/observability/log.ts';
import type { Attempt, FormattedInput, Repeatable } from './attempt.ts';
import { contendedOn, createDecisions } from './decisions.ts';
import type { DecisionsDependencies, Incoming, Sender } from './decisions.ts';
import { idempotencyKeyOf } from './idempotency-key.ts';
import { createJobReplies } from './job-replies.ts';
import { createMayRequest } from './may-request.ts';
import { parseShape, readRequestBody } from './request-body.ts';
import { createListCursors } from './list-cursors.ts';
import { createLongReplies, isLongReply } from './long-replies.ts';
import type { SentReply } from './long-replies.ts';
import { prefersAsync } from './prefer.ts';
import { parseQuery } from './query.ts';
import { createReauthenticate } from './reauthentication.ts';
import { splitFormat } from './table-format.ts';
import { tableReply } from './table-reply.ts';

export interface PipelineDependencies extends DecisionsDependencies {
  idempotency: Pick<Idempotency, 'run'>;
  jobs: Pick<Jobs, 'begin'>;
  retry: Retry;
  routes: readonly Route[];
  cursors: Cursors;
  /** Ends streams of events. */
  shutdown: AbortSignal;
  log: Log;
}

// reliability.md 1.2. Each wait has its own limit; this one limits their sum. Fastify's
// `handlerTimeout` would include the time to receive the body, and cut off a long response.
const REQUEST_MS = 10_000;

type ReadInput = Omit<FormattedInput, 'beforeCommit' | 'progress' | 'mayRequest'>;
/** A request that was read, without what depends on how it is handled. */
type ReadRequest = Omit<Attempt, 'input'> & {
  incoming: Incoming;
  input: Omit<Attempt['input'], 'beforeCommit' | 'progress'>;
};

/**
 * Handles one REST request: authentication, body, authorization, then one call of the domain logic.
 */
export function createPipeline(dependencies: PipelineDependencies) {
  const { idempotency, jobs, retry, log } = dependencies;
  const decisions = createDecisions(dependencies);
  const mayRequestOf = createMayRequest(dependencies.routes, decisions);
  const cursors = createListCursors(dependencies.cursors);
  const longReplies = createLongReplies(dependencies);
  const beginJob = createJobReplies({ jobs, decisions, attempt, retry, log });

  /** Handles the request on a decision that still stands. */
  async function attempt(request: Attempt, first: Sender): Promise<Reply> {
    const { route, repeatable, until } = request;
    const { reauthenticate: _, ...input } = request.input;
    const { caller, reauthentication } = await decisions.decide(request, first);
    const authorizeAgain = async () =>
      (await decisions.decide(request, await identifyNow(request.identify))).caller;
    const handle = async (once: Once) => {
      const facts = { ...input.request, once };
      const decided = { caller, reauthentication, authorizeAgain };
      return respond(route, { ...input, ...decided, request: facts });
    };
    if (repeatable === null || caller === null) return handle(always);
    return idempotency.run({ ...repeatable, route, caller, params: input.params, until }, handle);
  }

  /** Replies within the deadline. */
  function reply(read: ReadRequest, sender: Sender) {
    const { incoming, ...decided } = read;
    const { route, identify, until } = decided;
    const isJob = route.job === true && prefersAsync(incoming.raw.rawHeaders);
    const work = (beforeCommit: () => void) => {
      const request = { ...decided, input: { ...read.input, beforeCommit, progress: noProgress } };
      if (isJob) return beginJob(request, incoming, sender);
      return retry({
        attempt: () => attempt(request, sender),
        retry: async () => attempt(request, await identifyNow(identify)),
        contended: contendedOn(route, sender.caller, incoming.params),
        until,
      });
    };
    const timeoutError = () =>
      isJob || route.rolls_back_late === true ? unavailable('request timed out') : overdue();
    return withinOrRollBack(work, until - performance.now(), timeoutError);
  }

  /** Replies with one of the few long replies that an owner may have at a time. */
  async function replyAtLength(request: ReadRequest, sender: Sender) {
    const { leave } = longReplies.enter(sender.caller);
    try {
      const long = await reply(request, sender);
      const check = decisions.createCheck(request, request.incoming, sender.caller);
      return longReplies.checked(long, check, leave);
    } catch (error) {
      leave();
      throw error;
    }
  }

  return async function handle(route: Route, incoming: Incoming): Promise<SentReply> {
    const began = performance.now();
    const identify = () => decisions.identify(route, incoming);
    const {
      body: { repeatable, ...body },
      body_ms: arrival_ms,
      ...sender
    } = await readIdentified(identify, (from) => readInput(route, incoming, from));
    // The time to receive the body does not count; it is limited where the body is read.
    const until = began + arrival_ms + (route.within_ms ?? REQUEST_MS);
    const list = { route, caller: sender.caller, params: body.params };
    const query = cursors.openQuery(list, body.query);
    const reauthenticate = createReauthenticate(route, body, dependencies.requireReauthentication);
    const mayRequest = mayRequestOf(incoming, sender.caller);
    const input = { ...body, query, reauthenticate, mayRequest };
    const request = { route, incoming, input, identify, repeatable, until };
    if (isLongReply(route, body.format)) return replyAtLength(request, sender);
    return cursors.sealReply(list, await reply(request, sender));
  };
}

/** Calls the handler; for a file, reads the list instead. */
function respond(
  route: Route,
  { format, ...input }: Parameters<Route['handle']>[0] & Pick<FormattedInput, 'format'>,
): Promise<Reply> | Reply {
  if (format === null || route.table === undefined) return route.handle(input);
  const fairnessKey = input.caller?.quota_owner.id ?? '';
  return tableReply(route.table, format, route.table.pages(input), fairnessKey);
}

// A route without a body schema still rejects a body that is not a JSON object.
const NoFields = z.object({});

async function readInput(
  route: Route,
  incoming: Incoming,
  caller: Principal | null,
): Promise<ReadInput & { repeatable: Repeatable | null }> {
  const key = idempotencyKeyOf(route, incoming.raw.rawHeaders);
  const schema = route.body ?? (route.method === 'GET' ? undefined : NoFields);
  const { format, query } = splitFormat(route, incoming.query as object, incoming.raw.rawHeaders);
  const fairnessKey = caller?.quota_owner.id ?? addressBucket(incoming.facts.address);
  const body = await readRequestBody(incoming.raw, { ...route, body: schema }, fairnessKey);
  return {
    body: schema ? parseShape(schema, body, 'invalid_body') : undefined,
    format,
    query: parseQuery(route, query),
    // An invalid id in the path gets the same response as a well-formed unknown id.
    params: route.params?.safeParse(incoming.params).data,
    request: incoming.facts,
    repeatable: key === null ? null : { key, body },
  };
}
