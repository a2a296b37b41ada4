import { z } from 'zod';
import {
  describeZonedTime,
  loadTemporal,
  ZonedTime,
  readTimeZone,
  TimeZone,
} from '../zoned-time.ts';
import { defineTool, PURE } from '../tool.ts';

export const currentTime = defineTool({
  id: '9fdcfddd-3968-48af-a0a8-1061763d30c3',
  name: 'current_time',
  title: 'Current date and time',
  description:
    'Returns the current date, time and weekday, in UTC or any time zone. Use it whenever an answer ' +
    'depends on today: you do not know the date otherwise. Example: {"time_zone": "Europe/Madrid"}.',
  input: z.strictObject({
    time_zone: TimeZone.optional().describe(
      'IANA name such as America/New_York, or an offset such as +02:00. Default UTC.',
    ),
  }),
  output: ZonedTime,
  annotations: { ...PURE, idempotentHint: false },
  timeout_ms: 1000,
  examples: [
    { title: 'Now in UTC', arguments: {} },
    { title: 'Now in Tokyo', arguments: { time_zone: 'Asia/Tokyo' } },
    {
      title: 'A place that is not a time zone',
      arguments: { time_zone: 'Springfield' },
      error: 'unknown_time_zone',
    },
  ],
  async run({ time_zone = 'UTC' }, { now }) {
    const api = await loadTemporal();
    const zone = readTimeZone(api, time_zone);
    return describeZonedTime(
      api.Instant.fromEpochMilliseconds(now().getTime()).toZonedDateTimeISO(zone),
    );
  },
});
