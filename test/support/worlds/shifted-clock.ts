const preload = new URL('clock-child.ts', import.meta.url).href;

/**
 * Returns the environment of a gateway process with a shifted clock: only `Date` is shifted, as by
 * a wrong system clock; timers and `performance` are not.
 */
export const shiftedClock = (milliseconds: number): Record<string, string> => ({
  NODE_OPTIONS: `--import=${preload}`,
  TEST_CLOCK_SHIFT_MS: String(milliseconds),
});
