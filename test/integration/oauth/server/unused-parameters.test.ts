import { expect, test } from 'vitest';
import { createOAuthPeer, insertClient } from '../../../support/people/oauth.ts';
import { signUp } from '../../../support/people/people.ts';
import { useGateway } from '../../../support/worlds/use-gateway.ts';

const { world, gateway } = await useGateway();

test('an authorization request of a registered client may have an organization_id of its own, which is ignored', async () => {
  const ada = await signUp(world, gateway);
  const client = await insertClient(world, { owner: { account_id: ada.account_id } });

  const { status, location } = await createOAuthPeer(gateway).start(client, {
    organization_id: 'org_01H',
  });

  expect([status, location]).toEqual([303, expect.stringMatching(/^\/oauth\/consent\//)]);
});
