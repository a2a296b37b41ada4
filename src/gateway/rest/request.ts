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
    /** State of a request to the API, which its hooks fill in. */
    rest: RestRequest;
  }
}

/** State of a request to the API: `onRequest` creates it. */
export interface RestRequest {
  route: Route;
  incoming: Incoming;
  /** Identifies the sender once more. */
  identify(): Promise<Principal | null>;
  sender: Sender;
  /** Deadline, in the time of `performance.now()`. */
  until: number;
  idempotency_key: string | null;
  /** Set in `preValidation`. */
  repeatable: Repeatable | null;
  /** Format of the reply, set in `preValidation`; null for JSON. */
  format: TableFormat | null;
  /** Set in `preHandler`. */
  authorized: Authorized | null;
}

/** A request that was read, without the inputs that each attempt adds. */
type ReadRequest = Omit<Attempt, 'input'> & {
  input: Omit<Attempt['input'], 'beforeCommit' | 'progress'>;
};

/** A request that may be handled, and the decision that allows it. */
export interface Authorized {
  request: ReadRequest;
  decision: Decision;
  /** Aborted when the long response of the request was closed; null for any other. */
  closing: AbortSignal | null;
}
