import type { Temporal } from 'temporal-polyfill';
import { z } from 'zod';
import {
  loadTemporal,
  parseZonedTime,
  readTimeZone,
  TimeZone,
  weekdayOf,
  withinRange,
  type TemporalApi,
} from '../zoned-time.ts';
import { ToolFailure } from '../tool-failure.ts';
import { defineTool, PURE } from '../tool.ts';

const IsoTime = z.string().max(64);

export const dateArithmetic = defineTool({
  id: '9b89b4b9-5bc8-4247-bf0f-d78e840d64bc',
  name: 'date_arithmetic',
  title: 'Add to dates and measure between them',
  description:
    'Adds a duration to a date or time, subtracts one, or measures the difference between two. ' +
    'Follows the calendar: a month after January 31 is the last day of February, a day across a ' +
    'change to daylight saving in `time_zone` is 23 hours. Examples: {"operation": "add", ' +
    '"start": "2026-01-31", "duration": "P1M"}, {"operation": "difference", "start": ' +
    '"2026-01-01", "end": "2026-12-25"}.',
  input: z.strictObject({
    operation: z.enum(['add', 'subtract', 'difference']),
    start: IsoTime.describe('ISO 8601 date or time, such as 2026-01-31 or 2026-01-31T10:00:00Z.'),
    duration: z
      .string()
      .max(64)
      .optional()
      .describe('For add and subtract: ISO 8601 duration such as P1Y2M10D, P2W or PT36H.'),
    end: IsoTime.optional().describe('For difference: ISO 8601 date or time.'),
    time_zone: TimeZone.optional().describe('Time zone of times without an offset. Default UTC.'),
  }),
  output: z.object({
    result: z.string().optional().describe('For add and subtract.'),
    weekday: z.string().optional().describe('Weekday of the result.'),
    duration: z.string().optional().describe('For difference: years, months, days and time.'),
    total_days: z.number().optional(),
    total_hours: z.number().optional(),
    total_seconds: z.number().optional(),
  }),
  annotations: PURE,
  timeout_ms: 1000,
  examples: [
    {
      title: 'A month after the end of January',
      arguments: { operation: 'add', start: '2026-01-31', duration: 'P1M' },
      result: { result: '2026-02-28', weekday: 'Saturday' },
    },
    {
      title: 'Ninety minutes before',
      arguments: { operation: 'subtract', start: '2026-03-01T00:30:00+01:00', duration: 'PT90M' },
      result: { result: '2026-02-28T23:00:00+01:00', weekday: 'Saturday' },
    },
    {
      title: 'Days until Christmas',
      arguments: { operation: 'difference', start: '2026-10-01', end: '2026-12-25' },
      result: { duration: 'P2M24D', total_days: 85, total_hours: 2040, total_seconds: 7_344_000 },
    },
    {
      title: 'Nothing to add',
      arguments: { operation: 'add', start: '2026-10-01' },
      error: 'argument_missing',
    },
    {
      title: 'A duration in words',
      arguments: { operation: 'add', start: '2026-10-01', duration: 'two weeks' },
      error: 'invalid_duration',
    },
  ],
  async run({ operation, start, duration, end, time_zone }) {
    const api = await loadTemporal();
    const zone = time_zone === undefined ? undefined : readTimeZone(api, time_zone);
    return withinRange(() => {
      const from = read(api, start, zone);
      if (operation === 'difference')
        return difference(from, read(api, required(end, 'end'), zone));
      const amount = readDuration(api, required(duration, 'duration'));
      const moment = operation === 'add' ? from.add(amount) : from.subtract(amount);
      const isDate = /^[+-]?\d+-\d\d-\d\d$/.test(start) && isWholeDays(amount);
      const result = isDate
        ? moment.toPlainDate().toString()
        : moment.toString({ timeZoneName: 'never' });
      return { result, weekday: weekdayOf(moment) };
    });
  },
});

/** Reads a time in `zone`; if there is none, in the text's own offset or else in UTC. */
function read(api: TemporalApi, text: string, zone: string | undefined): Temporal.ZonedDateTime {
  const hasOffset = /(?:[zZ]|[+-]\d\d:?\d\d)(?:\[.*)?$/.test(text) && /[tT ]/.test(text);
  return parseZonedTime(api, text, zone ?? (hasOffset ? null : 'UTC')).moment;
}

function difference(from: Temporal.ZonedDateTime, until: Temporal.ZonedDateTime) {
  const span = from.until(until.withTimeZone(from.timeZoneId), { largestUnit: 'year' });
  const total = (unit: 'day' | 'hour' | 'second') => span.total({ unit, relativeTo: from });
  return {
    duration: span.toString(),
    total_days: total('day'),
    total_hours: total('hour'),
    total_seconds: total('second'),
  };
}

function readDuration(api: TemporalApi, text: string): Temporal.Duration {
  try {
    return api.Duration.from(text);
  } catch {
    throw new ToolFailure(
      'invalid_duration',
      `"${text}" is not an ISO 8601 duration such as P1Y2M10D, P2W or PT1H30M.`,
    );
  }
}

function required(value: string | undefined, argument: string): string {
  if (value === undefined)
    throw new ToolFailure('argument_missing', `This operation requires \`${argument}\`.`);
  return value;
}

const isWholeDays = ({
  hours,
  minutes,
  seconds,
  milliseconds,
  microseconds,
  nanoseconds,
}: Temporal.Duration) =>
  [hours, minutes, seconds, milliseconds, microseconds, nanoseconds].every((part) => part === 0);
