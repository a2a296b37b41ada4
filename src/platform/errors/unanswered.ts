/** Where a server gave no answer: it is stopped, unreachable, silent or has no free connection. */
export class Unanswered extends Error {}

// Classes that ioredis does not export.
const CLASSES = new Set(['AbortError', 'ClusterAllFailedError', 'MaxRetriesPerRequestError']);

/**
 * Throws `Unanswered` where pg or ioredis lost or missed its connection, for which they throw plain
 * errors. Answers of servers and misuse of drivers have classes of their own and stay as they are.
 */
export async function requireAnswer<T>(asked: Promise<T>): Promise<T> {
  try {
    return await asked;
  } catch (error) {
    if (!(error instanceof Error && (error.constructor === Error || CLASSES.has(error.name))))
      throw error;
    throw new Unanswered(error.message, { cause: error });
  }
}
