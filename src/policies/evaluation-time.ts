/**
 * Milliseconds until the response must begin to a request that evaluates policies: the longest may
 * take thirty seconds (docs/limits.md).
 */
export const POLICY_MS = 40_000;
