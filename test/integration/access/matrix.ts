import { setTimeout } from 'node:timers/promises';
import { refusalOf } from '../../support/access/expected.ts';
import type { Standing } from '../../support/access/expected.ts';
import type { Row } from '../../support/access/table.ts';
import type { Acme } from './acme.ts';
import { requestOf } from './requests.ts';

export type Team = 'red' | 'blue';

/** A credential with what it may do; `person` is who it acts for, `teams` those it is active in. */
export interface Caller extends Standing {
  name: string;
  headers: Record<string, string>;
  person: 'owner' | 'mia';
  teams: readonly Team[];
}

const AT_ONCE = 8;
const TRIES = 20;
/** Tests show this many deviations: a wrong rule shows in hundreds of requests. */
const SHOWN = 40;

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
 * Sends a request for every route as every caller, and returns where an answer is not that of the
 * table. Requests for one route are sent one after the other: some need what another undoes.
 */
export async function deviations(
  acme: Acme,
  rows: readonly Row[],
  callers: readonly Caller[],
): Promise<string[]> {
  const found: string[] = [];
  const queue = rows.values();
  async function work() {
    for (const row of queue)
      for (const caller of callers) {
        const { got, allowed } = await send(acme, caller, row);
        const expected = refusalOf(row, caller) ?? allowed;
        if (got.join(' ') !== expected.join(' '))
          found.push(`${row.route} as ${caller.name}: ${got.join(' ')}, not ${expected.join(' ')}`);
      }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return found.toSorted().slice(0, SHOWN);
}
