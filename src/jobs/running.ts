import type { Confirm, Progress } from '../caller/progress.ts';
import { countSaved, endJob } from './store.ts';
import type { Beat } from './store.ts';

/** Thrown in the work of a job that has ended: by cancelling it, or because it took too long. */
export class JobEnded extends Error {
  constructor() {
    super('the job has ended');
    this.name = 'JobEnded';
  }
}

/** A job that runs on this gateway. */
export interface RunningJob {
  progress: Progress;
  /**
   * Call last in each transaction of the work: counts it, or ends the job with the body that
   * `endWith` set. Throws if the job has ended. Its row is locked until the commit, so ending
   * the job waits for that, and then knows what was saved.
   */
  confirm: Confirm;
  /** Returns the progress to store. */
  beat(): Beat;
  /** Makes the work stop as soon as it can. */
  abort(): void;
}

export function createRunningJob(id: string): RunningJob {
  const controller = new AbortController();
  let steps: Pick<Beat, 'done' | 'total'> = { done: 0, total: null };
  let last: { body: object } | null = null;
  const beat = () => ({ id, ...steps });
  return {
    progress: {
      report: (done, total) => void (steps = { done, total }),
      signal: controller.signal,
      endWith: (body) => void (last = { body }),
    },
    async confirm(transaction) {
      const isRunning =
        (await countSaved(transaction, id)) &&
        (last === null ||
          (await endJob(transaction, beat(), {
            status: 200,
            result: JSON.stringify(last.body),
            errors: null,
          })));
      if (!isRunning) throw new JobEnded();
    },
    beat,
    abort: () => controller.abort(new JobEnded()),
  };
}
