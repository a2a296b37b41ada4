/**
 * Error of a server that did not respond: stopped, unreachable, hanging, or no free connection.
 */
export class Unanswered extends Error {}

// Error classes that ioredis does not export.
const CLASSES = new Set(['AbortError', 'ClusterAllFailedError', 'MaxRetriesPerRequestError']);

/**
 * Throws `Unanswered` when pg or ioredis lost its connection or could not get one; both throw plain
 * `Error` objects then. Error responses and misuse of drivers have their own classes and are
 * rethrown.
 */
export async function requireAnswer<T>(pending: Promise<T>): Promise<T> {
  try {
    return await pending;
  } catch (error) {
    if (!(error instanceof Error && (error.constructor === Error || CLASSES.has(error.name))))
      throw error;
    throw new Unanswered(error.message, { cause: error });
  }
}
