import { limited } from '../platform/errors/refusal.ts';
import { createFairQueue } from '../platform/concurrency/fair-queue.ts';
import type { FormLimits } from './forms/forms.ts';

/** Runs a preview of a change for an account, or throws 429. */
export type AdmitPreview = <Result>(
  account_id: string,
  preview: () => Promise<Result>,
) => Promise<Result>;

// Each holds one connection of the database pool, which has ten.
const PREVIEWS = { size: 3, sizePerKey: 1, maxWaiting: 100, maxWaitingPerKey: 10 };
const WAIT_MS = 5_000;

/**
 * Creates the function that limits previews of changes: how many an account requests in a minute,
 * and how many run at the same time, with one for each account. Accounts take turns.
 */
export function createPreviewGate({ take }: Pick<FormLimits, 'take'>): AdmitPreview {
  const queue = createFairQueue({ ...PREVIEWS, createBusyError: tooMany });
  return async (account_id, preview) => {
    await take('preview', { account: account_id });
    const entry = { fairnessKey: account_id, signal: AbortSignal.timeout(WAIT_MS) };
    await queue.enter(entry).catch((error: unknown) => {
      throw entry.signal.aborted ? tooMany() : error;
    });
    try {
      return await preview();
    } finally {
      queue.leave(entry);
    }
  };
}

const tooMany = () =>
  limited('rate_limited', 'Too many previews are running. Wait a second and try again.', {
    retryAfterSeconds: 1,
  });
