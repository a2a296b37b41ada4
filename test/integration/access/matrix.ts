import { setTimeout } from 'node:timers/promises';
import { refusalOf } from '../../support/access/expected.ts';
import type { CallerAuthority } from '../../support/access/expected.ts';
import type { Row } from '../../support/access/table.ts';
import { trials } from '../properties/trials.ts';
import type { Acme } from './acme.ts';
import { requestOf } from './requests.ts';

export type Team = 'red' | 'blue';

/** A credential and its authority: the person it acts for, and the teams it is active in. */
export interface Caller extends CallerAuthority {
  name: string;
  headers: Record<string, string>;
  person: 'owner' | 'mia';
  teams: readonly Team[];
}

const AT_ONCE = 8;
const TRIES = 20;
/** Maximum number of deviations to report: one wrong rule affects hundreds of requests. */
const MAX_SHOWN = 40;

interface Body {
  errors?: { code: string; detail: { permission?: string } | null }[];
}

/** Sends a request; retries a 503, which means that an earlier change is not in OpenFGA yet. */
async function send(acme: Acme, caller: Caller, row: Row) {
  const { path, body, headers, allowed, undo } = requestOf(acme, row, caller.person);
  for (let tries = 1; ; tries += 1) {
    const response = await fetch(`${acme.gateway.url}${path}`, {
      method: row.method,
      headers: {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
        ...caller.headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (response.status === 503 && tries < TRIES) {
      await setTimeout(50);
      continue;
    }
    const { errors } = (text === '' ? {} : JSON.parse(text)) as Body;
    if (response.status === 204) await undo?.();
    const [error] = errors ?? [];
    const permission = response.status === 403 ? (error?.detail?.permission ?? null) : null;
    const got = [response.status, error?.code, permission].filter((part) => part != null);
    return { got, allowed };
  }
}

/**
 * Sends a request to every route as every caller, and returns the responses that deviate from the
 * table. Requests to one route are sent in sequence, since some depend on what another one undoes.
 */
export function deviations(
  acme: Acme,
  rows: readonly Row[],
  callers: readonly Caller[],
): Promise<string[]> {
  return deviationsOf(
    acme,
    rows.map((row) => [row, callers]),
  );
}

// With this `TEST_SCALE`, every refused request is sent.
const COMPLETE_AT = 4;

/**
 * Does the same for all allowed requests, and for one kind of caller of those that are refused:
 * another one with each `turn`. With `TEST_SCALE=4`, it is all kinds.
 */
export function deviationsInTurn(
  acme: Acme,
  rows: readonly Row[],
  callers: readonly Caller[],
  turn: number,
): Promise<string[]> {
  return deviationsOf(
    acme,
    rows.map((row, index) => {
      const refused = callers.filter((caller) => refusalOf(row, caller) !== null);
      const count = Math.max(1, Math.floor(trials(refused.length) / COMPLETE_AT));
      const isTheirTurn = (caller: Caller) =>
        (refused.indexOf(caller) + index + turn) % refused.length < count;
      const isAsked = (caller: Caller) => !refused.includes(caller) || isTheirTurn(caller);
      return [row, callers.filter(isAsked)];
    }),
  );
}

/** A review decides about everything, which takes seconds: one allowed caller takes it. */
function fewOf(row: Row, callers: readonly Caller[]): readonly Caller[] {
  if (row.method !== 'POST' || !row.route.endsWith('/access/reviews')) return callers;
  const allowed = callers.filter((caller) => refusalOf(row, caller) === null);
  return callers.filter((caller) => !allowed.includes(caller) || caller === allowed[0]);
}

async function deviationsOf(
  acme: Acme,
  requests: readonly (readonly [Row, readonly Caller[]])[],
): Promise<string[]> {
  const found: string[] = [];
  const queue = requests.map(([row, callers]) => [row, fewOf(row, callers)] as const).values();
  async function work() {
    for (const [row, asked] of queue)
      for (const caller of asked) {
        const { got, allowed } = await send(acme, caller, row);
        const expected = refusalOf(row, caller) ?? allowed;
        if (got.join(' ') !== expected.join(' '))
          found.push(`${row.route} as ${caller.name}: ${got.join(' ')}, not ${expected.join(' ')}`);
      }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return found.toSorted().slice(0, MAX_SHOWN);
}
