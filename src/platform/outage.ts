import { ConnectionError, SlonikError, StatementTimeoutError } from 'slonik';
import { sqlState } from './database.ts';
import { isRefusal, unavailable } from './refusal.ts';
import type { Refusal } from './refusal.ts';

const NETWORK = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
]);
// Classes of SQLSTATE that mean the server, not the statement: connection, resources, shutdown,
// system error, read-only standby.
const STATE = /^(?:08|53|57P|58)|^(?:57014|25006|40001|40P01|55P03)$/;

/**
 * The refusal an error stands for: itself, or `unavailable` for an outage of a server we need.
 * Null is a defect: it is logged and answered as one.
 */
export function asRefusal(error: unknown): Refusal | null {
  if (isRefusal(error)) return error;
  return isOutage(error) ? unavailable('a server is away', error) : null;
}

export function isOutage(error: unknown): boolean {
  for (let at = error; at instanceof Error; at = at.cause) {
    if (at instanceof ConnectionError || at instanceof StatementTimeoutError) return true;
    if (at instanceof AggregateError && at.errors.some(isOutage)) return true;
    if (NETWORK.has(String((at as { code?: unknown }).code))) return true;
    if (STATE.test(sqlState(at) ?? '')) return true;
    if (at instanceof SlonikError && /timeout|terminated|connection/i.test(at.message)) return true;
    if (
      /Connection terminated|timeout exceeded when trying to connect|Query read timeout/.test(
        at.message,
      )
    )
      return true;
  }
  return false;
}
