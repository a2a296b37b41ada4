import fc from 'fast-check';

const scale = Number(process.env['TEST_SCALE'] ?? 1);

/** How often a property is tried: `TEST_SCALE=100` for a night. */
export const trials = (usual: number): number => Math.max(1, Math.round(usual * scale));

/** A test's limit grows with its trials. */
export const timeFor = (milliseconds: number): number => milliseconds * Math.max(1, scale);

// Before the test's own limit, so that a failure is told however far it was shrunk.
const LONGEST_MS = 50_000;

/**
 * Tries a property; a failure says its seed and path, and `TEST_SEED` with `TEST_PATH` runs just
 * that one again.
 */
export async function holds<Values extends [unknown, ...unknown[]]>(
  usual: number,
  property: fc.IAsyncProperty<Values>,
): Promise<void> {
  const seed = process.env['TEST_SEED'];
  const path = process.env['TEST_PATH'];
  await fc.assert(property, {
    numRuns: trials(usual),
    interruptAfterTimeLimit: timeFor(LONGEST_MS),
    ...(seed === undefined ? {} : { seed: Number(seed) }),
    ...(path === undefined ? {} : { path }),
  });
}
