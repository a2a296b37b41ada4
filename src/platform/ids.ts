import { randomUUID } from 'node:crypto';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** UUID v7 (RFC 9562): rows sort by the time they were made. Secrets are v4, never this. */
export function newId(): string {
  const now = Date.now();
  if (now !== written.time) written = { time: now, text: timeText(now) };
  // The random half of a v4, which Node draws from a pool; a call of its own costs ten times more.
  return written.text + randomUUID().slice(15);
}

// Written once a millisecond: many ids are made in each.
let written = { time: 0, text: timeText(0) };

function timeText(time: number): string {
  const digits = time.toString(16).padStart(12, '0');
  return `${digits.slice(0, 8)}-${digits.slice(8)}-7`;
}

/** Decided here and not by PostgreSQL, whose uuid type also takes braces and no dashes. */
export const isUuid = (text: string): boolean => UUID.test(text);
