import { z } from 'zod';

/** An entry of `errors` as one would be returned, without the fields that its code decides. */
export const ReportedError = z
  .object({
    code: z.string().describe('An `ErrorCode`.'),
    message: z.string(),
    detail: z.unknown(),
  })
  .meta({ id: 'ReportedError' });
