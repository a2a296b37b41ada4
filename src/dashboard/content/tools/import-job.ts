import type { ToolImport } from '../../../content/tools/openapi/schema.ts';
import type { Job } from '../../../jobs/schema.ts';
import { runAsJob } from '../../api/jobs.ts';
import type { Space } from '../space.ts';

/** Imports as a job, and returns it when it has succeeded or was cancelled. */
export const importTools = (
  { api }: Space,
  body: ToolImport,
  onProgress: (job: Job) => void,
): Promise<Job> => runAsJob(`${api}/custom-tools/import`, body, onProgress);
