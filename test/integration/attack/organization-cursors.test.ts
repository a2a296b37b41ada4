import { afterAll, beforeAll, expect, test } from 'vitest';
import { ADMIN, askAs, outcomeOf } from '../../support/people/organizations.ts';
import { createTeamsWorld } from '../../support/people/teams.ts';
import type { TeamsWorld } from '../../support/people/teams.ts';
import { create } from '../organizations/content-items.ts';

let teams: TeamsWorld;
beforeAll(async () => {
  teams = await createTeamsWorld();
});
afterAll(() => teams?.close());

// docs/errors.md, `invalid_cursor`: “A cursor must come from the same list”.
test('a cursor from another list, or from the same list of another organization, is refused as invalid', async () => {
  const acme = await teams.organization();
  const other = await teams.organization();
  for (const { id, owner } of [acme, other]) {
    await teams.join(id, 'admin', [ADMIN]);
    for (const name of ['one', 'two'])
      await create(owner, `/api/organizations/${id}`, 'prompts', { name });
  }
  const read = ({ id, owner }: typeof acme, list: string, cursor?: string) =>
    askAs<{ next_cursor: string }>(owner, {
      path: `/api/organizations/${id}/${list}?limit=1${cursor === undefined ? '' : `&cursor=${cursor}`}`,
    });

  const accepted: string[] = [];
  for (const from of ['members', 'prompts', 'audit', 'roles']) {
    const { next_cursor } = (await read(acme, from)).body;
    expect((await read(acme, from, next_cursor)).status).toBe(200);
    for (const to of ['members', 'prompts', 'audit', 'roles']) {
      if (to !== from && (await read(acme, to, next_cursor)).status === 200)
        accepted.push(`${from} in ${to}`);
      // The system roles are the same in every organization, and so is a cursor at one of them.
      if (to === from && to !== 'roles' && (await read(other, to, next_cursor)).status === 200)
        accepted.push(`${from} in another organization`);
    }
  }
  expect(accepted).toEqual([]);
  expect(outcomeOf(await read(acme, 'audit', crypto.randomUUID()))).toEqual([
    400,
    'invalid_cursor',
  ]);
});
