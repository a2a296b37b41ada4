import fc from 'fast-check';

const scale = Number(process.env['TEST_SCALE'] ?? 1);

/** Number of trials of a property; `TEST_SCALE=100` for a nightly run. */
export const trials = (usual: number): number => Math.max(1, Math.round(usual * scale));

/** Scales a test's timeout with its trials. */
export const timeFor = (milliseconds: number): number => milliseconds * Math.max(1, scale);

// Less than the test's timeout, so that a failure is reported even if shrinking has not finished.
const MAX_MS = 50_000;

/** Checks a property. A failure reports a seed and a path; `TEST_SEED` and `TEST_PATH` rerun it. */
export async function holds<Values extends [unknown, ...unknown[]]>(
  usual: number,
  property: fc.IAsyncProperty<Values>,
): Promise<void> {
  const seed = process.env['TEST_SEED'];
  const path = process.env['TEST_PATH'];
  await fc.assert(property, {
    numRuns: trials(usual),
    interruptAfterTimeLimit: timeFor(MAX_MS),
    ...(seed === undefined ? {} : { seed: Number(seed) }),
    ...(path === undefined ? {} : { path }),
  });
}
