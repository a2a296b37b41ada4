import { LogController } from 'fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Log } from '../../platform/observability/log.ts';
import { toErrorResponse } from './errors.ts';

type FailureLog = Pick<Log, 'error' | 'warn'>;

interface Failed {
  request_id: string;
  /** What failed: `request`. */
  what: string;
  /** What that meant for the client if a server is unavailable: `refused with 503`. */
  outcome: string;
}

/** Logs the failure of a request if it is a defect or an outage, not a mistake of the client. */
export function logFailure(
  log: FailureLog,
  error: unknown,
  { request_id, what, outcome }: Failed,
): void {
  const { defect, status } = toErrorResponse(error);
  const about = { err: error, request_id };
  if (defect) log.error(about, `${what} failed with an internal error`);
  else if (status === 503) log.warn(about, `${what} ${outcome}: a backing service is unavailable`);
}

/**
 * Logs what fails after a response has begun. No error handler is called then, and Fastify's own
 * logger is off.
 */
export class CutOffLog extends LogController {
  readonly #log: FailureLog;

  constructor(log: FailureLog) {
    super();
    this.#log = log;
  }

  override streamError(error: Error & { code?: string }, { id }: FastifyRequest): void {
    // The client went.
    if (error.code === 'ERR_STREAM_PREMATURE_CLOSE') return;
    logFailure(this.#log, error, { request_id: id, what: 'response', outcome: 'cut off' });
  }

  override writeHeadError(error: Error, { id }: FastifyRequest, _reply: FastifyReply): void {
    logFailure(this.#log, error, { request_id: id, what: 'response', outcome: 'cut off' });
  }
}
