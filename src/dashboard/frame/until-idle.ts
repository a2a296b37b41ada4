const LATEST_MS = 1_000;

/** Waits until the browser has nothing else to do, but no longer than a second. */
export const untilIdle = () =>
  new Promise<void>((resolve) => {
    // Safari has no idle callbacks.
    if (typeof requestIdleCallback === 'undefined') setTimeout(resolve);
    else requestIdleCallback(() => resolve(), { timeout: LATEST_MS });
  });
