import { randomUUID } from 'node:crypto';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** UUID v7 (RFC 9562): rows sort by the time they were made. Secrets are v4, never this. */
export function newId(): string {
  const time = Date.now().toString(16).padStart(12, '0');
  // The random half of a v4, which Node draws from a pool; a call of its own costs ten times more.
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`;
}

/** Decided here and not by PostgreSQL, whose uuid type also takes braces and no dashes. */
export const isUuid = (text: string): boolean => UUID.test(text);
