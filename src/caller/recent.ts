// A decision that is based on an older row is confirmed before anything starts on it.
const RECENT_MS = 250;

/**
 * Returns whether a credential that was read at a time of `performance.now()` still allows work to
 * start. Work may have waited since, and a credential that was revoked meanwhile must not act.
 */
export const isRecent = (read_at: number): boolean => performance.now() - read_at <= RECENT_MS;
