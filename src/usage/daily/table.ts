import { malformed } from '../../platform/errors/refusal.ts';
import type { DailyQuery, DailyUsage } from './schema.ts';

/** How daily usage is sent as a file: one row a day, without items, whose rows are others. */
export const dailyTable = {
  file_name: 'toolgate-usage',
  columns: ['day', 'calls', 'refused', 'content_reads'],
};

/** Yields the days for a file; throws 400 for a query that splits them by item. */
export async function* dailyRows({ by }: DailyQuery, read: () => Promise<DailyUsage>) {
  if (by !== undefined)
    throw malformed('invalid_query', 'must be omitted: a file has one row a day', {
      detail: { pointer: '/by' },
    });
  yield (await read()).days;
}
