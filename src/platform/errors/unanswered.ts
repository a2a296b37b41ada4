/**
 * Error of a server that gave no answer: stopped, unreachable, unresponsive, no free connection.
 */
export class Unanswered extends Error {}

// Error classes that ioredis does not export.
const CLASSES = new Set(['AbortError', 'ClusterAllFailedError', 'MaxRetriesPerRequestError']);

/**
 * Throws `Unanswered` when pg or ioredis lost or could not get a connection, for which they throw
 * plain errors. Error responses and misuse of drivers have their own classes and are rethrown.
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
