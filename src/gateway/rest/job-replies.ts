import type { Retry } from '../../authz/authz.ts';
import { identifyNow } from '../../caller/read-identified.ts';
import type { Reply, Route } from '../../caller/route.ts';
import { JOB_MS } from '../../jobs/jobs.ts';
import type { Jobs, Work } from '../../jobs/jobs.ts';
import type { Log } from '../../platform/observability/log.ts';
import type { Attempt, Attempts } from './attempt.ts';
import { organizationIn } from './decisions.ts';
import type { Decision, Decisions, IncomingSender } from './decisions.ts';
import { toErrorResponse } from '../http/errors.ts';

export interface JobRepliesDependencies {
  jobs: Pick<Jobs, 'begin'>;
  decisions: Pick<Decisions, 'identifyLater'>;
  attempt: Attempts['attempt'];
  retry: Retry;
  log: Log;
}

/** Returns a function that replies 202, and then does what the request asks for. */
export function createJobReplies(dependencies: JobRepliesDependencies) {
  const { jobs, decisions, attempt, retry, log } = dependencies;

  function toErrors(error: unknown) {
    const { status, body, defect } = toErrorResponse(error);
    if (defect) log.error({ err: error }, 'a job failed with an internal error');
    return { status, errors: body.errors };
  }

  /** Returns the work of a job, which keeps no more of its request than it needs. */
  function workOf(
    request: Omit<Attempt, 'identify' | 'until'>,
    identify: Attempt['identify'],
  ): Work {
    const { input } = request;
    return ({ progress, confirm }) => {
      const facts = {
        ...input.request,
        // The scopes of the decision are locked, but they do not say whether a key has expired.
        async confirm(transaction: Parameters<typeof confirm>[0]) {
          await identify();
          await confirm(transaction);
        },
      };
      const until = performance.now() + JOB_MS;
      const work = { ...request, identify, until, input: { ...input, progress, request: facts } };
      const again = async () => attempt(work, await identifyNow(identify));
      // It is long: it must not delay the turns of other changes.
      return retry({ attempt: again, retry: again, contended: null, until });
    };
  }

  return async function beginJob(
    request: Attempt,
    incoming: IncomingSender,
    { caller }: Decision,
  ): Promise<Reply> {
    const { identify: _, until: _until, ...kept } = request;
    const { route, input } = kept;
    const { credentials, params, facts } = incoming;
    const sender = { credentials, params, facts };
    if (caller === null) throw new TypeError(`${route.operation_id} needs a caller for its job.`);
    const identify = () => decisions.identifyLater(route, sender, caller);
    const job = await jobs.begin(
      {
        caller,
        operation_id: route.operation_id,
        organization_id: organizationIn(params),
        params: input.params ?? {},
        beforeCommit: input.beforeCommit,
      },
      workOf(kept, identify),
      toErrors,
    );
    const headers = { location: `/api/jobs/${job.id}`, 'preference-applied': 'respond-async' };
    return { status: 202, body: job, headers };
  };
}

/**
 * Throws at start for a route that cannot run as a job: its response is stored and read later, so it
 * must be JSON without secrets.
 */
export function requireDeclaredJob(route: Route): void {
  const { job, path, access, shown_once, reauthentication, table, long_reply } = route;
  const excluded = [shown_once, reauthentication, table, long_reply];
  const isFit = access !== 'public' && excluded.every((one) => !one);
  if (job === true && !isFit) throw new Error(`${path} cannot run as a job`);
}
