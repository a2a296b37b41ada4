import type { Breaker } from '../../platform/concurrency/breaker.ts';

/** No answer; `isSent`: the server may have executed the request nevertheless. */
export interface NoReply {
  noReply: true;
  isSent: boolean;
}

/** Asks, and retries once if there is no answer, so the question must be idempotent. */
export async function ask<T>(
  breaker: Breaker,
  question: () => Promise<T>,
): Promise<{ reply: T } | NoReply> {
  let isSent = false;
  for (let attempt = 1; attempt <= 2; attempt += 1) {
    const turn = breaker.enter();
    if (!turn) break;
    isSent = true;
    try {
      const reply = await question();
      turn.succeeded();
      return { reply };
    } catch (error) {
      turn.failed(error);
    }
  }
  return { noReply: true, isSent };
}
