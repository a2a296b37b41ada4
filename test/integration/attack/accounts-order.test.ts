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
  'a wrong password (403) is reported before an absent object (404): %s (decisions 9: proof of presence)',
  async (path) => {
    const { person, bearer, password } = await signUp(world, gateway);
    const remove = async (current_password: string) => {
      const { status } = await person.ask<unknown>({
        method: 'DELETE',
        path: `/api/user/${path}`,
        body: { current_password },
        headers: bearer,
      });
      return status;
    };
    expect([await remove('not the password'), await remove(password)]).toEqual([403, 404]);
  },
);
