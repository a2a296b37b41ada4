const preload = new URL('clock-child.ts', import.meta.url).href;

/**
 * What a gateway process is started with to live at another time: `Date` alone is moved, as a wrong
 * system clock moves it; timers and `performance` run on.
 */
export const shiftedClock = (milliseconds: number): Record<string, string> => ({
  NODE_OPTIONS: `--import=${preload}`,
  TEST_CLOCK_SHIFT_MS: String(milliseconds),
});
