import type { Progress } from '../../caller/progress.ts';
import { spaceLists } from './schema.ts';
import type { SpaceFile } from './schema.ts';

/** Counts an entry that was checked or saved; throws if the import must stop. */
export type Step = () => void;

/** Returns the steps of one pass over a file: its entries are checked first, then saved. */
export function stepsOf(
  file: SpaceFile,
  pass: 'checked' | 'saved',
  { report, signal }: Progress,
): Step {
  const entries = spaceLists.reduce((count, list) => count + file[list].length, 0);
  const total = 2 * entries;
  let done = pass === 'checked' ? 0 : entries;
  report(done, total);
  return () => {
    signal.throwIfAborted();
    done += 1;
    report(done, total);
  };
}
