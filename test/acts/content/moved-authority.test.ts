import pg from 'pg';
import { beforeAll, afterAll, describe, expect, test } from 'vitest';
import { createPerson, oneAddress } from '../../support/people/people.ts';
import { ask } from '../mcp/key-holder.ts';
import { drafts, fullKey, personal } from '../mcp/managing.ts';
import { useAuthors } from './author.ts';
import type { Author } from './author.ts';

// A change of one instance waits in the database for another's, not in the memory of its own.
const { world, ada } = await useAuthors(oneAddress);
const second = await world.gateway();
const holding = new pg.Client({ connectionString: world.env['DATABASE_URL']! });
beforeAll(() => holding.connect());
afterAll(() => holding.end());

const locksWaitedFor = async () => {
  const rows = await world.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM pg_stat_activity
     WHERE datname = current_database() AND wait_event_type = 'Lock'`,
  );
  return rows[0]!.count;
};

/** Has the change wait for the account's lock, then the edit behind it, decided before the change. */
async function race<T>(author: Author, change: () => Promise<number>, edit: () => Promise<T>) {
  await holding.query('BEGIN');
  await holding.query(`SELECT FROM authz_scope WHERE kind = 'account' AND id = $1 FOR UPDATE`, [
    author.account_id,
  ]);
  try {
    const changing = change();
    await expect.poll(locksWaitedFor).toBe(1);
    const editing = edit();
    await expect.poll(locksWaitedFor).toBe(2);
    await holding.query('COMMIT');
    expect(await changing).toBe(200);
    return await editing;
  } catch (error) {
    await holding.query('ROLLBACK');
    throw error;
  }
}

/** Creates a prompt; the outcome in the words of the surface. */
const edits = {
  async REST(author: Author, secret: string): Promise<unknown> {
    const made = await author.restWith(secret)('/api/me/prompts', drafts.prompt());
    return made.status;
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
  const prompts = async () => (await ada.rest('/api/me/prompts')).body.data.length;

  test('that was decided before its grant was taken away is refused', async () => {
    const { key, change } = await grantsOf(['can_update_prompts']);
    const before = await prompts();

    expect(await race(ada, change, () => edits[surface](ada, key.secret))).toBe(refusals[surface]);
    expect(await prompts()).toBe(before);
  });

  test('that is still allowed when decided again is made once', async () => {
    const { key, change } = await grantsOf(['can_create_prompts']);
    const before = await prompts();

    expect(await race(ada, change, () => edits[surface](ada, key.secret))).toBe(201);
    expect(await prompts()).toBe(before + 1);
  });
});
