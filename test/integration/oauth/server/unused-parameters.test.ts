import { afterAll, beforeAll, expect, test } from 'vitest';
import { createOAuthPeer, insertClient } from '../../../support/people/oauth.ts';
import { signUp } from '../../../support/people/people.ts';
import { createWorld } from '../../../support/worlds/world.ts';
import type { Gateway, World } from '../../../support/worlds/world.ts';

let world: World;
let gateway: Gateway;
beforeAll(async () => {
  world = await createWorld();
  gateway = await world.gateway();
});
afterAll(() => world?.close());

test('an authorization request of a registered client may have an organization_id of its own, which is ignored', async () => {
  const ada = await signUp(world, gateway);
  const client = await insertClient(world, { owner: { account_id: ada.account_id } });

  const { status, location } = await createOAuthPeer(gateway).start(client, {
    organization_id: 'org_01H',
  });

  expect([status, location]).toEqual([303, expect.stringMatching(/^\/oauth\/consent\//)]);
});
