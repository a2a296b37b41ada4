import { z } from 'zod';
import type { Temporal } from 'temporal-polyfill';
import { ToolFailure } from './tool-failure.ts';

export const TimeZone = z.string().min(1).max(64);
export const ZonedTime = z.object({
  iso: z.string().describe('Local time with its offset from UTC.'),
  time_zone: z.string(),
  utc: z.string(),
  weekday: z.string(),
  unix_seconds: z.number(),
});

/** Whether a local time is unique: a clock change skips some times and repeats others. */
export const ClockState = z.enum(['unique', 'skipped', 'repeated']);

const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];

export const describeZonedTime = (moment: Temporal.ZonedDateTime): z.infer<typeof ZonedTime> => ({
  iso: moment.toString({ timeZoneName: 'never', smallestUnit: smallestUnit(moment) }),
  time_zone: moment.timeZoneId,
  utc: moment.toInstant().toString({ smallestUnit: smallestUnit(moment) }),
  weekday: weekdayOf(moment),
  unix_seconds: moment.epochMilliseconds / 1000,
});

export const weekdayOf = (date: { dayOfWeek: number }) => WEEKDAYS[date.dayOfWeek - 1] ?? '';
const smallestUnit = (moment: Temporal.ZonedDateTime) =>
  moment.millisecond === 0 ? 'second' : 'millisecond';

/** Loads Temporal when the first time tool runs. */
export const loadTemporal = async () => (await import('temporal-polyfill')).Temporal;
export type TemporalApi = Awaited<ReturnType<typeof loadTemporal>>;

export function readTimeZone(api: TemporalApi, name: string): string {
  try {
    return api.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(name).timeZoneId;
  } catch {
    throw new ToolFailure(
      'unknown_time_zone',
      `"${name}" is neither an IANA time zone (like Europe/Madrid) nor an offset (like +02:00).`,
    );
  }
}

/**
 * Reads ISO 8601 text: exact with an offset or Z, otherwise local time in `zone`, where a skipped
 * time moves forward and a repeated one means its first occurrence.
 */
export function parseZonedTime(api: TemporalApi, text: string, zone: string | null) {
  const exact = attempt(() => api.Instant.from(text));
  if (exact) {
    const offset = /([+-]\d\d:?\d\d)(?:\[|$)/.exec(text)?.[1] ?? 'UTC';
    return { moment: exact.toZonedDateTimeISO(zone ?? offset), clock: 'unique' as const };
  }
  const plain = attempt(() => api.PlainDateTime.from(text));
  if (!plain)
    throw new ToolFailure(
      'invalid_time',
      `"${text}" is not ISO 8601. Use 2026-03-29T14:30, 2026-03-29 or 2026-03-29T14:30:00Z.`,
    );
  if (zone === null)
    throw new ToolFailure('time_zone_missing', 'The time has no offset: give its time zone.');
  const earlier = plain.toZonedDateTime(zone, { disambiguation: 'earlier' });
  const later = plain.toZonedDateTime(zone, { disambiguation: 'later' });
  if (earlier.equals(later)) return { moment: earlier, clock: 'unique' as const };
  return earlier.toPlainDateTime().equals(plain)
    ? { moment: earlier, clock: 'repeated' as const }
    : { moment: later, clock: 'skipped' as const };
}

/** Turns a RangeError of Temporal into `out_of_range`: a date or duration beyond its limits. */
export function withinRange<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new ToolFailure('out_of_range', 'The date or the amount is out of range.');
  }
}

function attempt<Result>(read: () => Result): Result | null {
  try {
    return read();
  } catch {
    return null;
  }
}
