import type { Transaction } from '../platform/postgres/database.ts';

/** Throws if a change must not be committed; called last in its transaction. */
export type Confirm = (transaction: Transaction) => Promise<void>;

/** How a handler reports its progress, and learns that it must stop, if its request runs as a job. */
export interface Progress {
  /** Reports how many of the steps are done. */
  report(done: number, total: number): void;
  /** Aborted when nothing more can be saved, because the job has ended. */
  signal: AbortSignal;
  /**
   * Makes the next commit the end of the job, with this response body; call it in the transaction,
   * so that either both are saved or neither is.
   */
  endWith(body: object): void;
}

/** For requests that do not run as a job. */
export const noProgress: Progress = {
  report() {},
  signal: new AbortController().signal,
  endWith() {},
};
