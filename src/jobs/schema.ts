import { z } from 'zod';
import type { ErrorCode } from '../platform/errors/error-codes.ts';
import { pageOf } from '../platform/http/pages.ts';
import { ItemId } from '../policies/policy.ts';

/** An error as in the envelope of error responses. */
const JobError = z
  .object({
    code: z.custom<ErrorCode>((code) => typeof code === 'string').meta({ type: 'string' }),
    message: z.string(),
    detail: z.unknown(),
  })
  .meta({ id: 'JobError' });

/** A long request that runs after its response. */
export const Job = z
  .object({
    id: z.guid(),
    operation_id: z.string().describe('The operation that runs.'),
    state: z.enum(['running', 'succeeded', 'failed', 'cancelled']),
    done: z.int().describe('Finished steps.'),
    total: z.int().nullable().describe('All steps; null while unknown.'),
    saved: z.int().describe('Changes that are saved already.'),
    created_at: z.string(),
    ended_at: z.string().nullable(),
    status: z.int().nullable().describe('The status that the response would have had.'),
    result: z.unknown().describe('The body of that response; null in lists.'),
    errors: z.array(JobError).nullable().describe('Why it failed.'),
  })
  .meta({ id: 'Job' });
export type Job = z.infer<typeof Job>;

export const JobPage = pageOf(Job);
export const JobParams = z.object({
  id: ItemId.describe('Id of the entry, as shown in its list.').meta({ parameter: 'entry_id' }),
});
