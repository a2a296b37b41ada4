import { setTimeout as pause } from 'node:timers/promises';
import { withTimeout } from '../../platform/concurrency/within.ts';
import { OperatorError } from '../../platform/errors/operator-error.ts';

export type Area = 'configuration' | 'servers' | 'address' | 'protocol';
export type Status = 'ok' | 'warning' | 'failure' | 'skipped';

/** The result of one check. */
export interface Finding {
  area: Area;
  check: string;
  status: Status;
  message: string;
  /** How to resolve a warning or a failure. */
  remedy: string | null;
}

export type Result = Pick<Finding, 'status' | 'message' | 'remedy'>;

export const ok = (message: string): Result => ({ status: 'ok', message, remedy: null });
export const warning = (message: string, remedy: string): Result => ({
  ...{ status: 'warning', message, remedy },
});
export const failure = (message: string, remedy: string): Result => ({
  ...{ status: 'failure', message, remedy },
});

/** Thrown by a check that needs something else to work first; the message names it. */
export class Skipped extends Error {}

/** The checks of an area, by name. One may throw: its error is then the failure. */
export type Checks = Readonly<Record<string, () => Promise<Result> | Result>>;

// Each request has its own, shorter deadline; a comparison of many tuples takes longer.
const CHECK_MS = 600_000;
const PAUSE_MS = 1_000;
const ATTEMPTS = 3;

/** Returns a function that does the work once for all checks, and again only if it failed. */
export function sharedWork<T>(work: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | null = null;
  return () =>
    (result ??= work().catch((error: unknown) => {
      result = null;
      throw error;
    }));
}

/**
 * Runs the checks of an area at the same time, and returns their findings in order. A problem counts
 * if it lasts for a few seconds: a busy server may answer late once.
 */
export function runChecks(area: Area, checks: Checks): Promise<Finding[]> {
  return Promise.all(
    Object.entries(checks).map(async ([check, run]) => ({
      area,
      check,
      // Settings and files do not change by waiting.
      ...(await (area === 'configuration' ? resultOf(run) : lastingResult(run))),
    })),
  );
}

async function lastingResult(run: Checks[string]): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    const result = await resultOf(run);
    if (result.status === 'ok' || attempt === ATTEMPTS) return result;
    await pause(PAUSE_MS);
  }
}

async function resultOf(run: Checks[string]): Promise<Result> {
  try {
    const late = () => new Error('There was no result in ten minutes.');
    return await withTimeout(Promise.resolve().then(run), CHECK_MS, late);
  } catch (error) {
    if (error instanceof Skipped)
      return { status: 'skipped', message: `Not checked: ${error.message}`, remedy: null };
    return failure(messageOf(error), 'See docs/operations.md, and the log of the gateway.');
  }
}

/** Returns an error's message with those of its causes, which name what failed in the network. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof OperatorError) return error.message.replaceAll('\n', ' ');
  const { code } = error as { code?: unknown };
  const message = error.message || (typeof code === 'string' ? code : error.name);
  const own = message.replace(/\s+/g, ' ').trim();
  return error.cause === undefined ? own : `${own}: ${messageOf(error.cause)}`;
}

const SEVERITY: Readonly<Record<Status, 0 | 1 | 2>> = { ok: 0, skipped: 0, warning: 1, failure: 2 };

/** Returns the exit code: 0 if all is well, 1 for warnings, 2 for failures. */
export const exitCodeOf = (findings: readonly Finding[]): number =>
  Math.max(0, ...findings.map(({ status }) => SEVERITY[status]));
