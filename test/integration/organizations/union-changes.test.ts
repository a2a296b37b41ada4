import { setTimeout as pause } from 'node:timers/promises';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect, onTestFinished, test } from 'vitest';
import { createKey } from '../../support/people/people.ts';
import { useTeams } from '../../support/worlds/use-teams.ts';
import { patch } from './content-items.ts';
import { CAPABILITIES, createUnionWorld } from './union.ts';

const PLANS_FILE = new URL('../../support/worlds/generous-plans.json', import.meta.url).pathname;

const teams = await useTeams({ PLANS_FILE });
const acme = await createUnionWorld(teams);

/** Opens a stream on the other gateway; returns a function that counts prompt list changes. */
async function watchPrompts(secret: string): Promise<() => number> {
  let changes = 0;
  const client = new Client({ name: 'test', version: '1' });
  onTestFinished(() => client.close());
  client.setNotificationHandler('notifications/prompts/list_changed', () => {
    changes += 1;
  });
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${teams.otherGateway.url}/mcp`), {
      requestInit: { headers: { 'X-API-Key': secret } },
    }),
  );
  await client.listPrompts();
  return () => changes;
}

test('a change to a team’s items is announced to the credentials that see them, and to no others', async () => {
  const outsider = await teams.join(acme.id, 'out', [acme.role.id]);
  const keyOf = (who: typeof outsider) =>
    createKey(who, { org_scope: acme.id, mcp_capabilities: CAPABILITIES });
  const [inside, outside, personal] = await Promise.all(
    [
      acme.key,
      await keyOf(outsider),
      await createKey(acme.mia, { mcp_capabilities: CAPABILITIES }),
    ].map(({ secret }) => watchPrompts(secret)),
  );
  await pause(1_500);
  const before = [inside!(), outside!(), personal!()];

  await patch(acme.owner, `${acme.red}/prompts/${acme.items.prompts['red']}`, { title: 'New' });

  await expect.poll(inside!, { timeout: 5_000 }).toBe(before[0]! + 1);
  await pause(1_500);
  expect([outside!(), personal!()]).toEqual(before.slice(1));
});

test('leaving a team is announced to the credentials of the person', async () => {
  const changes = await watchPrompts(acme.key.secret);
  await pause(1_500);
  const before = changes();

  await acme.leave();

  await expect.poll(changes, { timeout: 5_000 }).toBe(before + 1);
  await acme.join();
});
