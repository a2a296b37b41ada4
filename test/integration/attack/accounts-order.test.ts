import { afterAll, beforeAll, expect, test } from 'vitest';
import { ownAddresses, signUp } from '../../support/people/people.ts';
import { createWorld } from '../../support/worlds/world.ts';
import type { Gateway, World } from '../../support/worlds/world.ts';

let world: World;
let gateway: Gateway;
beforeAll(async () => {
  world = await createWorld(ownAddresses);
  gateway = await world.gateway();
});
afterAll(() => world?.close());

const UNKNOWN_ID = '0190aaaa-0000-7000-8000-00000000000a';

test.each([`identities/${UNKNOWN_ID}`, `passkeys/${UNKNOWN_ID}`, 'totp'])(
  'an absent object (404) is reported before a wrong password (403): %s (decisions 2: order of checks)',
  async (path) => {
    const { person, bearer } = await signUp(world, gateway);
    const { status } = await person.ask<unknown>({
      method: 'DELETE',
      path: `/api/user/${path}`,
      body: { current_password: 'not the password' },
      headers: bearer,
    });
    expect(status).toBe(404);
  },
);
