import { expect } from 'vitest';

type Close = () => Promise<void>;

const currentFile = () => expect.getState().testPath;

/** Closing functions of what is still open in this worker, with the test file that opened it. */
const open = new Map<Close, string | undefined>();

/** Records something that a test file opens, the current one by default; returns what closes it. */
export function recordOpen(close: Close, file = currentFile()): Close {
  const recorded = async () => {
    open.delete(recorded);
    await close();
  };
  open.set(recorded, file);
  return recorded;
}

/**
 * Closes what earlier files left open. The runner calls no hook of a file that fails before its
 * tests, or of which `-t` selects none, and the next file runs in the same process.
 */
export async function closeLeftOpen(): Promise<void> {
  const left = [...open].filter(([, file]) => file !== currentFile());
  // The file that left them has failed already; this one should not.
  await Promise.allSettled(left.map(([close]) => close()));
}
