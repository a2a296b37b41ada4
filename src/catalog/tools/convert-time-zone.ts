import { z } from 'zod';
import {
  ClockState,
  describeZonedTime,
  loadTemporal,
  ZonedTime,
  parseZonedTime,
  readTimeZone,
  TimeZone,
  withinRange,
} from '../zoned-time.ts';
import { defineTool, PURE } from '../tool.ts';

export const convertTimeZone = defineTool({
  id: '6332ad35-94ce-4354-b970-949df16d840c',
  name: 'convert_time_zone',
  title: 'Convert a time between time zones',
  description:
    'Converts a time to another time zone, taking daylight saving into account. Use it for ' +
    'meetings and deadlines across zones. `clock` reports whether the given local time is unique, ' +
    'skipped (moved forward) or repeated (the first occurrence is used). Example: {"time": ' +
    '"2026-07-01T09:00", "from": "America/New_York", "to": "Europe/Madrid"}.',
  input: z.strictObject({
    time: z
      .string()
      .max(64)
      .describe('ISO 8601 with an offset or Z, or local time in `from` such as 2026-07-01T09:00.'),
    to: TimeZone.describe('Target: IANA name such as Europe/Madrid, or an offset.'),
    from: TimeZone.optional().describe('Time zone of `time`; required if it has no offset.'),
  }),
  output: z.object({ source: ZonedTime, target: ZonedTime, clock: ClockState }),
  annotations: PURE,
  timeout_ms: 1000,
  examples: [
    {
      title: 'From New York to Madrid',
      arguments: { time: '2026-07-01T09:00', from: 'America/New_York', to: 'Europe/Madrid' },
      result: {
        source: {
          iso: '2026-07-01T09:00:00-04:00',
          time_zone: 'America/New_York',
          utc: '2026-07-01T13:00:00Z',
          weekday: 'Wednesday',
          unix_seconds: 1_782_910_800,
        },
        target: {
          iso: '2026-07-01T15:00:00+02:00',
          time_zone: 'Europe/Madrid',
          utc: '2026-07-01T13:00:00Z',
          weekday: 'Wednesday',
          unix_seconds: 1_782_910_800,
        },
        clock: 'unique',
      },
    },
    {
      title: 'A local time that daylight saving skips',
      arguments: { time: '2026-03-29T02:30', from: 'Europe/Madrid', to: 'UTC' },
      result: {
        source: {
          iso: '2026-03-29T03:30:00+02:00',
          time_zone: 'Europe/Madrid',
          utc: '2026-03-29T01:30:00Z',
          weekday: 'Sunday',
          unix_seconds: 1_774_747_800,
        },
        target: {
          iso: '2026-03-29T01:30:00+00:00',
          time_zone: 'UTC',
          utc: '2026-03-29T01:30:00Z',
          weekday: 'Sunday',
          unix_seconds: 1_774_747_800,
        },
        clock: 'skipped',
      },
    },
    {
      title: 'A local time without a time zone',
      arguments: { time: '2026-07-01T09:00', to: 'UTC' },
      error: 'time_zone_missing',
    },
  ],
  async run({ time, to, from }) {
    const api = await loadTemporal();
    const target = readTimeZone(api, to);
    const zone = from === undefined ? null : readTimeZone(api, from);
    return withinRange(() => {
      const { moment, clock } = parseZonedTime(api, time, zone);
      return {
        source: describeZonedTime(moment),
        target: describeZonedTime(moment.withTimeZone(target)),
        clock,
      };
    });
  },
});
