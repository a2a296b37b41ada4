import type { Breaker } from '../../platform/concurrency/breaker.ts';

/** No answer came; `isSent` says whether the server may have done it all the same. */
export interface Away {
  away: true;
  isSent: boolean;
}

/** Asks once more what got no answer, so it must be harmless to do twice. */
export async function ask<T>(
  breaker: Breaker,
  question: () => Promise<T>,
): Promise<{ reply: T } | Away> {
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
  return { away: true, isSent };
}
