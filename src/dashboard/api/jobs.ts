import type { Job } from '../../jobs/schema.ts';
import { request, RequestError } from './request.ts';
import type { ReportedError } from './request.ts';

/**
 * Sends a request as a job, and returns the job when it has succeeded or was cancelled. Throws the
 * errors of one that failed.
 */
export async function runAsJob(
  path: string,
  body: object,
  onProgress: (job: Job) => void,
): Promise<Job> {
  const headers = { prefer: 'respond-async' };
  let job = await request<Job>(path, { body, headers });
  while (job.state === 'running') {
    onProgress(job);
    await watch(job.id, onProgress);
    job = await request<Job>(`/api/jobs/${job.id}`);
  }
  if (job.state !== 'failed') return job;
  throw new RequestError(job.status ?? 500, (job.errors ?? []) as ReportedError[], null);
}

export const cancelJob = (id: string) => request<Job>(`/api/jobs/${id}`, { method: 'DELETE' });

/** Resolves when the stream of a job ends. The browser connects again while it can. */
async function watch(id: string, onProgress: (job: Job) => void): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const source = new EventSource(`/api/jobs/${id}/events`);
  source.addEventListener('progress', ({ data }: MessageEvent<string>) =>
    onProgress(JSON.parse(data) as Job),
  );
  source.addEventListener('end', () => resolve());
  source.addEventListener('error', () => {
    if (source.readyState === EventSource.CLOSED) resolve();
  });
  await promise;
  source.close();
}
