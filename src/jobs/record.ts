import type { Problem } from '../platform/errors/refusal.ts';
import type { Job } from './schema.ts';
import type { JobRow } from './store.ts';

const UNAVAILABLE = 503;

/** Returns a job as the API shows it. */
export function recordOf(found: JobRow): Job {
  const { params: _, ...row } = found;
  const isInterrupted = row.state === 'failed' && row.errors === null;
  return {
    ...row,
    status: isInterrupted ? UNAVAILABLE : row.status,
    result: parse(row.result) ?? null,
    errors: isInterrupted ? [interrupted(row.saved)] : (parse(row.errors) as Job['errors']),
  };
}

const parse = (text: string | null): unknown => (text === null ? null : JSON.parse(text));

const interrupted = (saved: number): Problem => ({
  code: 'interrupted',
  message:
    saved === 0
      ? 'The gateway stopped, or the job took too long. Nothing was saved: send the request again.'
      : `The gateway stopped, or the job took too long. ${saved} of its changes were saved: list what exists, then import the rest.`,
  detail: null,
});
