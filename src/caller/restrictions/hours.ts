import { LRUCache } from 'lru-cache';

export const weekdays = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
export type Weekday = (typeof weekdays)[number];

/** Times of day at which a credential works: from `from` until `to`, or `to` of the next day. */
export interface HoursWindow {
  /** Days on which it begins. */
  days: readonly Weekday[];
  from: string;
  to: string;
}

export interface Hours {
  /** An IANA time zone. */
  zone: string;
  windows: readonly HoursWindow[];
}

const MAX_FORMATS = 500;
const formats = new LRUCache<string, Intl.DateTimeFormat>({ max: MAX_FORMATS });

/** Returns the format that reads the clock of a zone; throws a RangeError for an unknown one. */
function formatOf(timeZone: string): Intl.DateTimeFormat {
  let format = formats.get(timeZone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat('en', {
      ...{ timeZone, weekday: 'short', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' },
    });
    formats.set(timeZone, format);
  }
  return format;
}

/** Returns whether the text is a name of IANA’s time zones; an offset such as `+02:00` is not. */
export function isTimeZone(text: string): boolean {
  if (!/^[A-Za-z][\w+/-]*$/.test(text)) return false;
  try {
    formatOf(text);
    return true;
  } catch {
    return false;
  }
}

/** The answer of the last minute, which most requests ask for again. */
const lastAnswers = new WeakMap<Hours, { minute: number; isWithin: boolean }>();
const MINUTE_MS = 60_000;

/**
 * Returns whether a time is within the hours, by what a clock on the wall of their zone shows: when
 * clocks change, a window is as much longer or shorter as the day.
 */
export function isWithinHours(hours: Hours, now: Date): boolean {
  const minute = Math.floor(now.getTime() / MINUTE_MS);
  const last = lastAnswers.get(hours);
  if (last?.minute === minute) return last.isWithin;
  const clock = clockIn(hours.zone, now);
  const isWithin = hours.windows.some((window) => isOpen(window, clock));
  lastAnswers.set(hours, { minute, isWithin });
  return isWithin;
}

interface Clock {
  day: number;
  /** `HH:MM`; such texts sort like times. */
  time: string;
}

function clockIn(zone: string, now: Date): Clock {
  const parts = formatOf(zone).formatToParts(now);
  const part = (type: string) => parts.find((one) => one.type === type)?.value ?? '';
  const day = weekdays.indexOf(part('weekday').toLowerCase() as Weekday);
  return { day, time: `${part('hour')}:${part('minute')}` };
}

function isOpen({ days, from, to }: HoursWindow, { day, time }: Clock): boolean {
  const beginsOn = (index: number) => days.includes(weekdays[index]!);
  if (from < to) return beginsOn(day) && from <= time && time < to;
  const before = (day + weekdays.length - 1) % weekdays.length;
  return (beginsOn(day) && from <= time) || (beginsOn(before) && time < to);
}
