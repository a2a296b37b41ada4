import { ConcurrentUpdate } from '../../authz/authz.ts';
import { confirmed } from '../../caller/confirmed.ts';
import type { AgentPrincipal } from '../../caller/principal.ts';
import type { Identified } from '../../caller/read-identified.ts';
import { isRecent } from '../../caller/recent.ts';
import { unavailable } from '../../platform/errors/refusal.ts';
import type { View } from '../../visibility/visibility.ts';

/** Who acts, and what they may do, as read at one moment. */
export interface Authorization extends Identified<AgentPrincipal> {
  /** Returns the caller's view, read once. Throws `unavailable` in an outage. */
  view(): Promise<View>;
}

/** An authorization that can be read again. */
export interface RereadableAuthorization extends Authorization {
  /** Authenticates again, with one query. */
  identify(): Promise<Identified<AgentPrincipal>>;
  /** Reads the view of a caller. */
  authorize(identified: Identified<AgentPrincipal>): Promise<Authorization>;
}

// The same limit as for work whose authority keeps changing.
const REREAD_MS = 10_000;

/**
 * Returns the same object if its authorization stands, so that work that waited does not start on an
 * authorization that was revoked meanwhile. A caller that gets another object must decide again.
 * Each request asks this three times; if it has not waited, that allocates nothing.
 */
export const stillAuthorized = <T extends RereadableAuthorization>(
  authorization: T,
): T | Promise<T> =>
  isRecent(authorization.read_at) ? authorization : confirmAuthorization(authorization);

async function confirmAuthorization<T extends RereadableAuthorization>(
  authorization: T,
): Promise<T> {
  const until = performance.now() + REREAD_MS;
  for (;;)
    try {
      return await confirmed(authorization, {
        identify: () => authorization.identify(),
        decide: (latest) => authorizedAs(authorization, latest),
        until,
      });
    } catch (error) {
      // It has changed again while its view was read.
      if (!(error instanceof ConcurrentUpdate)) throw error;
      if (performance.now() > until) throw unavailable('authorization data kept changing', error);
    }
}

/** Returns the same request or call with the current authorization of its sender. */
export const reauthorized = async <T extends RereadableAuthorization>(authorization: T) =>
  authorizedAs(authorization, await authorization.identify());

const authorizedAs = async <T extends RereadableAuthorization>(
  authorization: T,
  latest: Identified<AgentPrincipal>,
): Promise<T> => ({ ...authorization, ...(await authorization.authorize(latest)) });
