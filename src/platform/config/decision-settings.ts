import { z } from 'zod';

const MAX_SAMPLING = 1_000_000;
const MAX_MONTHS = 120;

/** Settings of the log of decisions on access. */
export const decisionSettings = {
  DECISIONS_SAMPLING: z.coerce
    .number()
    .int()
    .min(1)
    .max(MAX_SAMPLING)
    .default(100)
    .describe('One in this many allowed decisions is recorded; denied ones all are.'),
  DECISIONS_RETENTION_MONTHS: z.coerce
    .number()
    .int()
    .min(1)
    .max(MAX_MONTHS)
    .default(13)
    .describe('Months for which decisions on access are kept.'),
};
