import { expect } from 'vitest';
import { createPerson, newEmail } from '../../../support/people/people.ts';
import type { SignedUp } from '../../../support/people/people.ts';
import type { Gateway, World } from '../../../support/worlds/world.ts';
import { eventReader } from '../../mcp/legacy/client.ts';

/** Tables that may keep a deleted account's id: history and what was charged. */
const HISTORY = [
  ...['audit_event', 'audit_target', 'authz_scope', 'authz_outbox'],
  ...['usage_ledger', 'usage_month', 'access_decision'],
];

/**
 * Deletes the account through the gateway at `url`, which may differ from the account's own.
 */
export const deleteAt = <Body = never>(
  url: string,
  { bearer, email, password, person }: SignedUp,
  fields: object = {},
) =>
  createPerson(url, person.address).ask<Body>({
    method: 'DELETE',
    path: '/api/user/account',
    body: { confirm: email, current_password: password, ...fields },
    headers: bearer,
  });

/**
 * Returns every row of every table that contains the text, as `table: row`; history tables are
 * included on request.
 */
export async function rowsWith(world: World, text: string, alsoHistory = false): Promise<string[]> {
  const tables = await world.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class
     WHERE relkind IN ('r', 'p') AND NOT relispartition AND relnamespace = 'public'::regnamespace`,
  );
  const found: string[] = [];
  for (const { name } of tables) {
    if (!alsoHistory && HISTORY.includes(name)) continue;
    const rows = await world.query<{ row: string }>(
      `SELECT t::text AS row FROM ${name} t WHERE t::text LIKE $1`,
      [`%${text}%`],
    );
    found.push(...rows.map(({ row }) => `${name}: ${row}`));
  }
  return found;
}

/** Opens a stream of notifications with a key. */
export async function openStream(at: Gateway, secret: string) {
  const method = 'subscriptions/listen';
  const meta = 'io.modelcontextprotocol/';
  const events = eventReader(
    await fetch(`${at.url}/mcp`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': method,
        'x-api-key': secret,
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method,
        params: {
          notifications: { toolsListChanged: true },
          _meta: { [`${meta}protocolVersion`]: '2026-07-28', [`${meta}clientCapabilities`]: {} },
        },
      }),
    }),
  );
  expect(await events.next()).not.toBeNull();
  return events;
}

/** Starts the deletion of the account and many other operations at once; records their statuses. */
export function concurrentRequests(
  ada: SignedUp,
  at: Gateway,
  seen: Map<string, Set<number>>,
): Promise<void>[] {
  const person = createPerson(at.url);
  const { bearer: headers, email, password } = ada;
  const note = async (name: string, answer: Promise<{ status: number }>) => {
    const { status } = await answer;
    seen.set(name, (seen.get(name) ?? new Set()).add(status));
  };
  const post = (path: string, body: unknown, method = 'POST') =>
    note(path, person.ask({ method, path, body, headers }));
  const cookie = `refresh=${ada.cookies.get('refresh')!}`;
  return [
    note('delete', deleteAt(at.url, ada)),
    note('login', person.ask({ path: '/api/auth/login', body: { email, password } })),
    note('refresh', person.ask({ method: 'POST', path: '/api/auth/refresh', headers: { cookie } })),
    post('/api/keys', { name: crypto.randomUUID(), mcp_capabilities: ['tools'] }),
    post('/api/me/mcp-settings', { tools: [], platform_prompts: [] }, 'PUT'),
    post('/api/user/profile', { first_name: 'Eve' }, 'PATCH'),
    post('/api/user/email', { email: newEmail(), current_password: password }),
  ];
}
