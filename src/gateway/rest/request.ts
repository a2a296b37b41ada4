import type { Principal } from '../../caller/principal.ts';
import type { Route } from '../../caller/route.ts';
import type { TableFormat } from '../../caller/table.ts';
import type { Attempt, Repeatable } from './attempt.ts';
import type { Decision, Incoming, Sender } from './decisions.ts';

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
export interface RestRequest {
  route: Route;
  incoming: Incoming;
  /** Identifies the sender once more. */
  identify(): Promise<Principal | null>;
  sender: Sender;
  /** Deadline, in the time of `performance.now()`. */
  until: number;
  idempotency_key: string | null;
  /** From `preValidation` on. */
  repeatable: Repeatable | null;
  /** Of the reply, from `preValidation` on; null for JSON. */
  format: TableFormat | null;
  /** From `preHandler` on. */
  authorized: Authorized | null;
}

/** A request that was read, without what depends on how it is handled. */
type ReadRequest = Omit<Attempt, 'input'> & {
  input: Omit<Attempt['input'], 'beforeCommit' | 'progress'>;
};

/** What is handled, and the decision that it may be. */
export interface Authorized {
  request: ReadRequest;
  decision: Decision;
  /** Aborted when the long response of the request was closed; null for any other. */
  closing: AbortSignal | null;
}
