import { z } from 'zod';
import { loadTemporal, parseZonedTime, readTimeZone, TimeZone } from '../zoned-time.ts';
import { ToolFailure } from '../tool-failure.ts';
import { defineTool, PURE } from '../tool.ts';

export const cronNext = defineTool({
  id: 'f538e6b7-595e-4fcf-8fe4-f83d3e740d23',
  name: 'cron_next',
  title: 'Next runs of a cron schedule',
  description:
    'Returns the next times a cron expression fires. Use it to check a schedule before using it. ' +
    'Five fields (minute hour day-of-month month day-of-week), or six with seconds first; names ' +
    'such as MON and JAN, steps, ranges, lists, L (last), # (nth weekday), and @daily, @hourly. ' +
    'A schedule that never fires returns an empty list. Example: {"expression": "30 9 * * ' +
    'MON-FRI", "time_zone": "Europe/Madrid"}.',
  input: z.strictObject({
    expression: z.string().min(1).max(200),
    time_zone: TimeZone.optional().describe('Time zone of the schedule. Default UTC.'),
    count: z.int().min(1).max(50).optional().describe('Number of runs. Default 5.'),
    after: z
      .string()
      .max(64)
      .optional()
      .describe('ISO 8601; returns runs after this time. Default now.'),
  }),
  output: z.object({
    runs: z.array(z.string()).describe('Local times with their offsets, earliest first.'),
    time_zone: z.string(),
  }),
  annotations: PURE,
  timeout_ms: 10_000,
  examples: [
    {
      title: 'Working days at half past nine',
      arguments: {
        expression: '30 9 * * MON-FRI',
        time_zone: 'Europe/Madrid',
        after: '2026-03-27T12:00:00Z',
        count: 2,
      },
      result: {
        runs: ['2026-03-30T09:30:00+02:00', '2026-03-31T09:30:00+02:00'],
        time_zone: 'Europe/Madrid',
      },
    },
    {
      title: 'The thirty-first of February never comes',
      arguments: { expression: '0 0 31 2 *' },
      result: { runs: [], time_zone: 'UTC' },
    },
    {
      title: 'Minutes end at 59',
      arguments: { expression: '75 * * * *' },
      error: 'invalid_cron',
    },
  ],
  async compute({ expression, time_zone = 'UTC', count = 5, after }, now) {
    const [{ Cron }, api] = await Promise.all([import('croner'), loadTemporal()]);
    const zone = readTimeZone(api, time_zone);
    const from =
      after === undefined
        ? now
        : new Date(parseZonedTime(api, after, zone).moment.toInstant().epochMilliseconds);
    const runs = computeRuns(() => {
      const schedule = new Cron(expression, { timezone: zone, paused: true, mode: 'auto' });
      return schedule.nextRuns(count, from);
    });
    return {
      runs: runs.map((run) =>
        api.Instant.fromEpochMilliseconds(run.getTime())
          .toZonedDateTimeISO(zone)
          .toString({ timeZoneName: 'never' }),
      ),
      time_zone: zone,
    };
  },
});

function computeRuns<Result>(schedule: () => Result): Result {
  try {
    return schedule();
  } catch (error) {
    const why = error instanceof Error ? error.message.replace(/^\w+: /, '') : '';
    throw new ToolFailure('invalid_cron', `Invalid cron expression: ${why}`);
  }
}
