import { expect, test } from 'vitest';
import { createThirdParty } from '../../support/people/third-party.ts';
import { signUp } from '../../support/people/people.ts';
import { closeAfterTests } from '../../support/worlds/close-after-tests.ts';

const party = await closeAfterTests(createThirdParty());
const ada = await signUp(party.world, party.gateway);

test.each([[5], [null], [true], [['/keys']], [{}], [`/${'a'.repeat(2_048)}`]])(
  'an invalid return_path gets a 400, case %# (spec: endpoints, decisions 2)',
  async (return_path) => {
    const { status } = await ada.person.ask<unknown>({
      path: '/api/user/identities',
      body: { provider: 'oidc', current_password: ada.password, return_path },
      headers: ada.bearer,
    });
    expect(status).toBe(400);
  },
);
