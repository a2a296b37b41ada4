import { expect, test } from 'vitest';
import { closeAfterTests } from '../../support/worlds/close-after-tests.ts';
import { createFollowedWorld, namesOf, ownServer, tool } from '../followed/followed-world.ts';
import { createRefresher } from '../followed/refresher.ts';

const { world, gateway, newAuthor } = await closeAfterTests(createFollowedWorld());
const refresher = await closeAfterTests(createRefresher(gateway));

test('a tool that waits is not approved with all that wait, once the filter no longer means it', async () => {
  const tools = [tool('read_a')];
  const { upstream } = await ownServer(await newAuthor(), tools);
  await upstream.import();
  tools.push(tool('delete_all'), tool('read_b'));
  await world.query('UPDATE followed_upstream SET due_at = now() WHERE upstream_id = $1', [
    upstream.id,
  ]);
  await refresher.refreshDue();
  expect((await upstream.changes()).data.map((one) => one.tool)).toEqual(['delete_all', 'read_b']);
  tools.pop();
  await upstream.import({ tools: { names: ['read_*'] } });

  expect((await upstream.changes()).data.map((one) => one.tool)).toEqual(['read_b']);
  const { created } = await upstream.approve();
  expect(namesOf(created)).toEqual(['docs_read_b']);
});
