import { z } from 'zod';

/** Days of a series at most: a quarter. */
const MAX_DAYS = 92;
const DAY_MS = 86_400_000;

// PostgreSQL has no year 0.
const Day = z.iso.date().refine((day) => !day.startsWith('0000'), 'must be a day after year 0');

export const DailyQuery = z
  .object({
    from: Day.optional()
      .describe(
        'First day of the series (UTC), as in `2026-01-31`; with `to`. Without both, the last 30 days.',
      )
      .meta({ parameter: 'first_day' }),
    to: Day.optional()
      .describe(`Last day, at most ${MAX_DAYS - 1} days after \`from\`.`)
      .meta({ parameter: 'last_day' }),
    by: z
      .literal('item')
      .optional()
      .describe('Splits the calls: `item` adds those of the 20 items with most calls.'),
  })
  .superRefine(({ from, to }, context) => {
    if ((from === undefined) !== (to === undefined))
      context.addIssue({
        ...{ code: 'custom', path: [from === undefined ? 'from' : 'to'] },
        message: 'must be sent together with the other end of the period',
      });
    if (from === undefined || to === undefined) return;
    const days = (Date.parse(to) - Date.parse(from)) / DAY_MS + 1;
    if (days < 1 || days > MAX_DAYS)
      context.addIssue({
        ...{ code: 'custom', path: ['to'] },
        message: `must be 0 to ${MAX_DAYS - 1} days after \`from\``,
      });
  });
export type DailyQuery = z.infer<typeof DailyQuery>;

const DailyCalls = z.object({ day: z.string(), calls: z.int() }).meta({ id: 'DailyCalls' });

export const DailyUsage = z
  .object({
    days: z
      .array(
        z
          .object({
            day: z.string(),
            calls: z.int().describe('Calls that count towards the quota.'),
            refused: z.int().describe('Recorded refusals, of tool calls and content reads.'),
            content_reads: z.int().describe('Prompts and resources that were read.'),
          })
          .meta({ id: 'UsageOfDay' }),
      )
      .describe('Each day of the period (UTC), oldest first.'),
    items: z
      .array(z.object({ id: z.string(), name: z.string(), days: z.array(DailyCalls) }))
      .optional()
      .describe(
        'With `by=item`: the items with most calls and the days of the calls; without items that the caller may not see.',
      ),
  })
  .meta({ id: 'DailyUsage' });
export type DailyUsage = z.infer<typeof DailyUsage>;
