import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Retry } from '../../authz/authz.ts';
import { noProgress } from '../../caller/progress.ts';
import { identifyNow } from '../../caller/read-identified.ts';
import type { Reply, Route } from '../../caller/route.ts';
import type { Idempotency } from '../../idempotency/idempotency.ts';
import type { Jobs } from '../../jobs/jobs.ts';
import { withinOrRollBack, withTimeout } from '../../platform/concurrency/within.ts';
import { overdue, unavailable } from '../../platform/errors/refusal.ts';
import type { Cursors } from '../../platform/http/cursors.ts';
import type { Log } from '../../platform/observability/log.ts';
import { logFailure } from '../http/failures.ts';
import { createAttempts } from './attempt.ts';
import { contendedOn } from './decisions.ts';
import type { Decisions, DecisionsDependencies, Incoming } from './decisions.ts';
import { createJobReplies } from './job-replies.ts';
import { createListCursors } from './list-cursors.ts';
import { createLongReplies, isLongReply } from './long-replies.ts';
import { createMayRequest } from './may-request.ts';
import { prefersAsync } from './prefer.ts';
import { createReauthenticate } from './reauthentication.ts';
import type { Authorized, RestRequest } from './request.ts';
import { createSentRequests } from './sent-requests.ts';
import type { SentReply } from './send-reply.ts';

export interface HandlingDependencies {
  idempotency: Pick<Idempotency, 'run'>;
  jobs: Pick<Jobs, 'begin'>;
  retry: Retry;
  routes: readonly Route[];
  cursors: Cursors;
  requireReauthentication: DecisionsDependencies['requireReauthentication'];
  /** Ends streams of events. */
  shutdown: AbortSignal;
  log: Log;
}

/** Creates the hook that authorizes a request to the API, and what handles it. */
export function createHandling(dependencies: HandlingDependencies, decisions: Decisions) {
  const cursors = createListCursors(dependencies.cursors);
  const longReplies = createLongReplies(dependencies);
  const mayRequestOf = createMayRequest(dependencies.routes, decisions);
  const sendOf = createSentRequests(dependencies, decisions);
  const run = createRun(dependencies, decisions);
  const { log } = dependencies;
  const reportOf =
    ({ facts: { id: request_id } }: Incoming) =>
    (error: unknown) =>
      logFailure(log, error, { request_id, what: 'event stream', outcome: 'ended' });

  /** `preHandler`: authorizes the sender; throws 400 for a foreign cursor, 429, 404 or 403. */
  async function authorize(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const { rest, body } = request;
    const { route, incoming, sender, format, repeatable, until } = rest;
    // An invalid id in the path gets the same response as a well-formed unknown id.
    const params = route.params?.safeParse(incoming.params).data;
    const list = { route, caller: sender.caller, params };
    const query = cursors.openQuery(list, request.query);
    const facts = { body, request: incoming.facts };
    const input = {
      ...{ ...facts, params, query, format, mayRequest: mayRequestOf(incoming, sender.caller) },
      sendWith: sendOf(incoming, sender.caller),
      reauthenticate: createReauthenticate(route, facts, dependencies.requireReauthentication),
    };
    const read = { route, input, identify: rest.identify, repeatable, until };
    const closing = isLongReply(route, format) ? longReplies.enter(sender.caller, reply.raw) : null;
    const deciding = decisions.decide(read, sender);
    const decision = await withTimeout(deciding, until - performance.now(), timedOut);
    rest.authorized = { request: read, decision, closing };
  }

  /** Handles the request. */
  async function respond({ rest }: FastifyRequest): Promise<SentReply> {
    const { route, incoming, sender } = rest;
    const { request: read, decision, closing } = rest.authorized!;
    const handled = (error: unknown) => decisions.handled(read, decision, error);
    const reply = await run(rest, rest.authorized!).catch((error: unknown) => {
      handled(error);
      throw error;
    });
    handled(null);
    if (closing !== null) {
      const check = decisions.createCheck(read, incoming, sender.caller);
      return longReplies.checked(reply, { check, report: reportOf(incoming) }, closing);
    }
    if (reply.pieces !== undefined || reply.events !== undefined)
      throw new TypeError(`${route.operation_id} sends a long reply, but does not declare it.`);
    const list = { route, caller: sender.caller, params: read.input.params };
    return cursors.sealReply(list, reply);
  }

  return { authorize, respond };
}

/** Creates the function that handles an authorized request, and replies within the deadline. */
function createRun({ idempotency, jobs, retry, log }: HandlingDependencies, decisions: Decisions) {
  const { handle, attempt } = createAttempts({ idempotency, decisions });
  const beginJob = createJobReplies({ jobs, decisions, attempt, retry, log });

  return function run(rest: RestRequest, { request: read, decision }: Authorized): Promise<Reply> {
    const { route, incoming, sender, until } = rest;
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
    return withinOrRollBack(work, until - performance.now(), timeoutErrorOf(rest));
  };
}

const isJob = ({ route, incoming }: RestRequest): boolean =>
  route.job === true && prefersAsync(incoming.raw.rawHeaders);

/** Whether something may have been saved after the deadline decides what the response says. */
const timeoutErrorOf = (request: RestRequest) => () =>
  isJob(request) || request.route.rolls_back_late === true ? timedOut() : overdue();

const timedOut = () => unavailable('request timed out');
