/**
 * Milliseconds until the response to a request that evaluates policies must begin: the longest may
 * take thirty seconds (docs/limits.md).
 */
export const POLICY_MS = 40_000;
