import type { Breaker } from '../../platform/concurrency/breaker.ts';

/** No reply came. If `isSent`, the server may still have executed the request. */
export interface NoReply {
  noReply: true;
  isSent: boolean;
}

/** Sends a request, and retries it once if no reply comes, so it must be idempotent. */
export async function sendWithRetry<T>(
  breaker: Breaker,
  request: () => Promise<T>,
): Promise<{ reply: T } | NoReply> {
  let isSent = false;
  for (let attempt = 1; attempt <= 2; attempt += 1) {
    const permit = breaker.enter();
    if (!permit) break;
    isSent = true;
    try {
      const reply = await request();
      permit.reportSuccess();
      return { reply };
    } catch (error) {
      permit.reportFailure(error);
    }
  }
  return { noReply: true, isSent };
}
