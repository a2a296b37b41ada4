import type { Breaker } from '../../platform/concurrency/breaker.ts';

/** No reply came. `isSent`: the server may have executed the request nevertheless. */
export interface NoReply {
  noReply: true;
  isSent: boolean;
}

/** Sends a request, and retries it once if no reply comes, so it must be idempotent. */
export async function ask<T>(
  breaker: Breaker,
  request: () => Promise<T>,
): Promise<{ reply: T } | NoReply> {
  let isSent = false;
  for (let attempt = 1; attempt <= 2; attempt += 1) {
    const turn = breaker.enter();
    if (!turn) break;
    isSent = true;
    try {
      const reply = await request();
      turn.succeeded();
      return { reply };
    } catch (error) {
      turn.failed(error);
    }
  }
  return { noReply: true, isSent };
}
