import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { closeAfterTests } from '../../support/worlds/close-after-tests.ts';
import { createFollowedWorld, namesOf, ownServer, tool } from '../followed/followed-world.ts';
import { createRefresher } from '../followed/refresher.ts';

const { world, gateway, newAuthor } = await closeAfterTests(createFollowedWorld());
const refresher = await closeAfterTests(createRefresher(gateway));

// Random, since PostgreSQL would compress it to what its indexes take.
const longName = randomBytes(5_000).toString('hex');

test('a tool whose name is too long is skipped, and does not hide the others that are new', async () => {
  const tools = [tool('a'), tool(longName)];
  const { upstream } = await ownServer(await newAuthor(), tools);
  const { created, skipped } = (await upstream.import()).body;
  expect([namesOf(created), skipped.map(({ code }) => code)]).toEqual([
    ['docs_a'],
    ['unsuitable_upstream_tool'],
  ]);
  tools.push(tool('b'));
  await world.query('UPDATE followed_upstream SET due_at = now() WHERE upstream_id = $1', [
    upstream.id,
  ]);

  await refresher.refreshDue();

  expect((await upstream.changes()).data.map((one) => one.tool)).toEqual(['b']);
});
