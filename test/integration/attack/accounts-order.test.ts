import { expect, test } from 'vitest';
import { ownAddresses, signUp } from '../../support/people/people.ts';
import { useGateway } from '../../support/worlds/use-gateway.ts';

const { world, gateway } = await useGateway(ownAddresses);

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
