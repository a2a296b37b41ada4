/**
 * Thrown if a server did not respond: it is stopped, unreachable or hanging, or no connection is
 * free.
 */
export class NoResponse extends Error {}

/** Thrown if PostgreSQL did not respond to a COMMIT: the transaction may have been committed. */
export class UnansweredCommit extends NoResponse {}

// Error classes that ioredis does not export.
const CLASSES = new Set(['AbortError', 'ClusterAllFailedError', 'MaxRetriesPerRequestError']);

/**
 * Throws `Unanswered` if pg or ioredis lost its connection or could not get one, for which both
 * throw plain `Error` objects. Error responses and misuse of the drivers have their own classes and
 * are rethrown.
 */
export async function requireResponse<T>(pending: Promise<T>): Promise<T> {
  try {
    return await pending;
  } catch (error) {
    if (!(error instanceof Error && (error.constructor === Error || CLASSES.has(error.name))))
      throw error;
    throw new NoResponse(error.message, { cause: error });
  }
}
