import type { Retry } from '../../authz/authz.ts';
import { always } from '../../caller/once.ts';
import type { Principal } from '../../caller/principal.ts';
import { noProgress } from '../../caller/progress.ts';
import { identifyNow } from '../../caller/read-identified.ts';
import { isCreating } from '../../caller/route.ts';
import type { Route, SendRequest, SentRequest } from '../../caller/route.ts';
import { parseShape } from '../http/request-body.ts';
import type { Decisions, Incoming } from './decisions.ts';

/** What a request takes from that of the handler which sends it. */
type Origin = Pick<Parameters<Route['handle']>[0], 'request' | 'mayRequest' | 'beforeCommit'> & {
  /** Deadline, in the time of `performance.now()`. */
  until: number;
};

/** Returns the function with which a handler makes other requests for its sender. */
export type SendWith = (origin: Origin) => SendRequest;

export interface SentRequestsDependencies {
  routes: readonly Route[];
  retry: Retry;
}

/**
 * Creates the requests that handlers make for their senders. Each identifies the sender again, since
 * the one before may have changed what the sender may do.
 */
export function createSentRequests(
  { routes, retry }: SentRequestsDependencies,
  decisions: Pick<Decisions, 'identifyLater' | 'decide' | 'handled'>,
) {
  const operations = new Map(routes.map((route) => [route.operation_id, route]));

  function routeOf({ operation_id }: SentRequest): Route {
    const route = operations.get(operation_id);
    if (route === undefined || !isSendable(route))
      throw new TypeError(`A handler cannot send ${operation_id}.`);
    return route;
  }

  return (
    { credentials, facts }: Pick<Incoming, 'credentials' | 'facts'>,
    sender: Principal | null,
  ): SendWith =>
    ({ until, ...origin }) =>
      async function send(sent) {
        const route = routeOf(sent);
        const params = route.params?.parse(sent.params);
        const body = route.body && parseShape(route.body, sent.body ?? {}, 'invalid_body');
        const identify = () =>
          decisions.identifyLater(route, { credentials, facts, params: sent.params }, sender);
        const request = { ...origin.request, once: always, if_match: null };
        const input = { request, params, reauthenticate };
        const asked = { route, input, identify, until };
        const attempt = async () => {
          const decision = await decisions.decide(asked, await identifyNow(identify));
          const { caller } = decision;
          const again = async () =>
            (await decisions.decide(asked, await identifyNow(identify))).caller;
          try {
            const reply = await route.handle({
              ...{ ...origin, ...input, caller, body, query: {}, reauthentication: null, send },
              ...{ progress: noProgress, authorizeAgain: again },
            });
            decisions.handled(asked, decision, null);
            return reply.body;
          } catch (error) {
            decisions.handled(asked, decision, error);
            throw error;
          }
        };
        // The sender's own request may have the turn already.
        return retry({ attempt, retry: attempt, contended: null, until });
      };
}

const reauthenticate = async () => null;

/** Its body is JSON without secrets, and it needs neither a person nor a key of idempotency. */
const isSendable = (route: Route): boolean =>
  route.access !== 'public' &&
  route.reauthentication === undefined &&
  route.long_reply === undefined &&
  route.query === undefined &&
  !isCreating(route);
