import { expect, test } from 'vitest';
import { createSsoWorld } from '../../support/people/sso.ts';
import { all, infiltrate } from './ended-access.ts';
import { closeAfterTests } from '../../support/worlds/close-after-tests.ts';

const sso = await closeAfterTests(createSsoWorld(({ env }) => env));

// What its gateways write: nothing in the account.
test.each([
  ['removes a member', 'UPDATE membership SET left_at = now()'],
  ['removes the members of a deleted organization', 'DELETE FROM membership'],
])(
  'when a gateway of the previous release %s, what the identity provider added to the account works no more',
  async (_, statement) => {
    const acme = await sso.organization();
    const { pat, own, added } = await infiltrate(sso, acme);

    await sso.world.query(`${statement} WHERE organization_id = $1 AND account_id = $2`, [
      ...[acme.id, pat.account_id],
    ]);

    expect(await added.works()).toEqual(all(false));
    expect(await own.works()).toEqual(all(true));
    const left = 'SELECT FROM sso_access WHERE account_id = $1';
    expect(await sso.world.query(left, [pat.account_id])).toEqual([]);
  },
);

test('an account can be deleted while an organization’s identity provider can sign in to it', async () => {
  const acme = await sso.organization();
  const { pat } = await infiltrate(sso, acme);

  await sso.world.query('DELETE FROM account WHERE id = $1', [pat.account_id]);

  const left = 'SELECT FROM account WHERE id = $1';
  expect(await sso.world.query(left, [pat.account_id])).toEqual([]);
});
