import type { Transaction } from '../platform/postgres/database.ts';

/**
 * Saves what a creation returns, as the last step of its transaction, so that a repeated request
 * finds it even if the gateway stops right after the commit. Returns the value.
 */
export type Save<Value> = (transaction: Transaction, value: Value) => Promise<Value>;

/**
 * Runs the part of a request that creates something, up to its commit, and returns what it saved. If
 * an earlier request with the same `Idempotency-Key` has committed it, nothing runs, and what that
 * one saved is returned (decisions/0044). What follows the creation may therefore depend only on
 * this value, which is stored as JSON.
 */
export type Once = <Value extends object>(
  create: (save: Save<Value>) => Promise<Value>,
) => Promise<Value>;

/** Saves nothing: for creations that no request can repeat. */
export const withoutSaving = async <Value>(_transaction: Transaction, value: Value) => value;

/** Runs the creation each time: for requests without an `Idempotency-Key`. */
export const always: Once = (create) => create(withoutSaving);
