import pg from 'pg';
import { afterAll, describe, expect, test } from 'vitest';
import { createPerson, oneAddress } from '../../support/people/people.ts';
import { ask } from '../mcp/key-holder.ts';
import { drafts, fullKey, personal } from '../mcp/managing.ts';
import { useAuthors } from './author.ts';
import type { Author } from './author.ts';

// The two instances wait for each other's changes in the database, not on an in-memory mutex.
const { world, ada } = await useAuthors(oneAddress);
const second = await world.gateway();
const blocker = new pg.Client({ connectionString: world.env['DATABASE_URL']! });
await blocker.connect();
afterAll(() => blocker.end());

const locksWaitedFor = async () => {
  const rows = await world.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM pg_stat_activity
     WHERE datname = current_database() AND wait_event_type = 'Lock'`,
  );
  return rows[0]!.count;
};

/**
 * Queues one request on the account's lock and the other behind it, so that the second is decided
 * before the first commits.
 */
async function inOrder<One, Other>(
  author: Author,
  one: () => Promise<One>,
  other: () => Promise<Other>,
): Promise<[One, Other]> {
  await blocker.query('BEGIN');
  await blocker.query(`SELECT FROM authz_scope WHERE kind = 'account' AND id = $1 FOR UPDATE`, [
    author.account_id,
  ]);
  try {
    const earlier = one();
    await expect.poll(locksWaitedFor).toBe(1);
    const later = other();
    await expect.poll(locksWaitedFor).toBe(2);
    await blocker.query('COMMIT');
    return [await earlier, await later];
  } catch (error) {
    await blocker.query('ROLLBACK');
    throw error;
  }
}

/** Creates a prompt; returns the outcome as REST or MCP reports it. */
const edits = {
  async REST(author: Author, secret: string): Promise<unknown> {
    const created = await author.restWith(secret)('/api/me/prompts', drafts.prompt());
    return created.status;
  },
  async MCP(author: Author, secret: string): Promise<unknown> {
    const called = await ask(author.endpoint, { 'x-api-key': secret }, 'tools/call', {
      name: 'create_prompt',
      arguments: drafts.prompt(),
    });
    const { result, error } = called.body;
    if (error !== undefined) return error.message;
    return result.isError === true ? result.structuredContent.error!.code : 201;
  },
};
const refusals = { REST: 403, MCP: 'capability_denied' };

describe.each(['REST', 'MCP'] as const)('an edit over %s', (surface) => {
  const grantsOf = async (permissions: readonly string[]) => {
    await ada.select(['create_prompt']);
    const key = await fullKey(ada);
    const change = async () => {
      const { status } = await createPerson(second.url).ask({
        method: 'PATCH',
        path: `/api/keys/${key.id}`,
        headers: ada.bearer,
        body: { grants: personal(permissions) },
      });
      return status;
    };
    return { key, change };
  };
  const countPrompts = async () => (await ada.rest('/api/me/prompts')).body.data.length;

  test('is refused if its grant is removed after the decision', async () => {
    const { key, change } = await grantsOf(['can_update_prompts']);
    const before = await countPrompts();

    expect(await inOrder(ada, change, () => edits[surface](ada, key.secret))).toEqual([
      200,
      refusals[surface],
    ]);
    expect(await countPrompts()).toBe(before);
  });

  test('is made once if it is still allowed when decided again', async () => {
    const { key, change } = await grantsOf(['can_create_prompts']);
    const before = await countPrompts();

    expect(await inOrder(ada, change, () => edits[surface](ada, key.secret))).toEqual([200, 201]);
    expect(await countPrompts()).toBe(before + 1);
  });
});

const threeTools = {
  document: {
    ...{ openapi: '3.1.0', servers: [{ url: 'https://pets.example.com' }] },
    paths: { '/a': { get: {} }, '/b': { get: {} }, '/c': { get: {} } },
  },
};

test('an import decides again after a concurrent change, and creates the other tools too', async () => {
  const importTools = () => ada.rest('/api/me/custom-tools/import', threeTools);
  const change = () =>
    createPerson(second.url).ask({
      path: '/api/keys',
      headers: ada.bearer,
      body: { name: crypto.randomUUID(), mcp_capabilities: [] },
    });

  const [{ status, body }, { status: changed }] = await inOrder(ada, importTools, change);

  expect([status, changed]).toEqual([200, 201]);
  expect(body['tools']).toHaveLength(3);
  expect(body['skipped']).toEqual([]);
});

test('an import keeps the tools created before its permission was taken, and reports the others as skipped', async () => {
  const before = (await ada.rest('/api/me/custom-tools')).body.data.length;
  const key = await ada.createKey({ grants: personal(['can_create_tools']) });
  const paths = { '/d': { get: {} }, '/e': { get: {} }, '/f': { get: {} } };
  const document = { document: { ...threeTools.document, paths } };
  const importTools = () => ada.restWith(key.secret)('/api/me/custom-tools/import', document);
  const change = () =>
    createPerson(second.url).ask({
      method: 'PATCH',
      path: `/api/keys/${key.id}`,
      headers: ada.bearer,
      body: { grants: personal(['can_view_tools']) },
    });

  const [{ status, body }, { status: changed }] = await inOrder(ada, importTools, change);

  expect([status, changed]).toEqual([200, 200]);
  expect(body['tools']).toHaveLength(1);
  expect(body['skipped']).toMatchObject([
    { code: 'concurrent_update' },
    { code: 'concurrent_update' },
  ]);
  expect((await ada.rest('/api/me/custom-tools')).body.data).toHaveLength(before + 1);
});

test('a key whose grant is removed while its request waits cannot change settings', async () => {
  const key = await ada.createKey({ grants: personal(['can_update_settings']) });
  const patch = async (url: string, path: string, headers: Record<string, string>, body: object) =>
    (await createPerson(url).ask({ method: 'PATCH', path, headers, body })).status;
  const withdraw = () =>
    patch(second.url, `/api/keys/${key.id}`, ada.bearer, { grants: personal(['can_view_usage']) });
  const change = () =>
    patch(
      ada.endpoint.replace(/\/mcp$/, ''),
      '/api/me/settings',
      { 'x-api-key': key.secret },
      { call_audit: { arguments: true } },
    );

  expect(await inOrder(ada, withdraw, change)).toEqual([200, 403]);
  const rows = await world.query<{ audit_arguments: boolean }>(
    'SELECT audit_arguments FROM account_settings WHERE account_id = $1',
    [ada.account_id],
  );
  expect(rows).toEqual([]);
});
