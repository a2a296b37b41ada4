import fc from 'fast-check';

const scale = Number(process.env['TEST_SCALE'] ?? 1);

/** Returns the number of trials of a property; nightly runs use `TEST_SCALE=100`. */
export const trials = (baseTrials: number): number => Math.max(1, Math.round(baseTrials * scale));

/** Scales a test's timeout with its trials. */
export const scaledTimeout = (milliseconds: number): number => milliseconds * Math.max(1, scale);

// Less than the test's timeout, so that a failure is reported even if shrinking has not finished.
const MAX_MS = 50_000;

/** Checks a property. A failure reports a seed and a path; `TEST_SEED` and `TEST_PATH` rerun it. */
export async function checkProperty<Values extends [unknown, ...unknown[]]>(
  baseTrials: number,
  property: fc.IAsyncProperty<Values>,
  maxMs = MAX_MS,
): Promise<void> {
  const seed = process.env['TEST_SEED'];
  const path = process.env['TEST_PATH'];
  await fc.assert(property, {
    numRuns: trials(baseTrials),
    interruptAfterTimeLimit: scaledTimeout(maxMs),
    ...(seed === undefined ? {} : { seed: Number(seed) }),
    ...(path === undefined ? {} : { path }),
  });
}
