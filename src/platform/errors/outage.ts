import { ReplyError } from 'ioredis';
import {
  BackendTerminatedError,
  BackendTerminatedUnexpectedlyError,
  ConnectionError,
  IdleTransactionTimeoutError,
  StatementCancelledError,
  StatementTimeoutError,
} from 'slonik';
import { sqlState } from '../postgres/database.ts';
import { isRefusal, overdue, unavailable } from './refusal.ts';
import type { Refusal } from './refusal.ts';
import { NoResponse, UnansweredCommit } from './unanswered.ts';

const CLASSES = [
  NoResponse,
  ConnectionError,
  BackendTerminatedError,
  BackendTerminatedUnexpectedlyError,
  IdleTransactionTimeoutError,
  StatementCancelledError,
  StatementTimeoutError,
];

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
// Redis error codes for a server state: the first word of the error reply.
const REDIS_STATE =
  /^(?:BUSY|CLUSTERDOWN|LOADING|MASTERDOWN|MISCONF|NOREPLICAS|OOM|READONLY|TRYAGAIN) /;
// SQLSTATE classes caused by the server, not the statement: connection, resources, shutdown, system
// error, read-only standby.
const STATE = /^(?:08|53|57P|58)|^(?:57014|25006|40001|40P01|55P03)$/;

/**
 * Returns a refusal unchanged, `unavailable` for an outage of a server we need, and `overdue` if the
 * change may have been committed. Returns null for a defect, which is logged and reported as an
 * internal error.
 */
export function asRefusal(error: unknown): Refusal | null {
  if (isRefusal(error)) return error;
  if (error instanceof UnansweredCommit) return overdue(error.message, error);
  return isOutage(error) ? unavailable('a backing service is unavailable', error) : null;
}

export function isOutage(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (CLASSES.some((outage) => cause instanceof outage)) return true;
    if (cause instanceof AggregateError && cause.errors.some(isOutage)) return true;
    if (NETWORK.has(String((cause as { code?: unknown }).code))) return true;
    if (STATE.test(sqlState(cause) ?? '')) return true;
    if (cause instanceof ReplyError && REDIS_STATE.test(cause.message)) return true;
  }
  return false;
}
