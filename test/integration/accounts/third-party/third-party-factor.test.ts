import { expect, test } from 'vitest';
import { answer } from '../../../support/people/factors.ts';
import {
  createThirdParty,
  isSessionCookie,
  profileOf,
  someone,
} from '../../../support/people/third-party.ts';
import { closeAfterTests } from '../../../support/worlds/close-after-tests.ts';

const party = await closeAfterTests(createThirdParty());

test('a third-party sign-in to an account with a second factor redirects to the page of the factor and opens no session', async () => {
  const ada = someone();
  const { visitor } = await party.signInAs(ada);
  const { id } = (await profileOf(visitor)).body;
  await party.world.query(
    `INSERT INTO account_passkey (id, account_id, credential_id, public_key, counter, transports, name)
     VALUES (gen_random_uuid(), $1, 'x', '', 0, '{}', 'x')`,
    [id],
  );
  await party.world.query(
    `INSERT INTO account_recovery_code VALUES ($1, sha256('aaaaaaaaaaaaaaaa'))`,
    [id],
  );

  const { step } = await party.signInAs(ada, party.visitor());

  const page = `${party.gateway.config.PUBLIC_URL}/sign-in/second-factor#token=`;
  expect([step.status, step.location.slice(0, page.length)]).toEqual([302, page]);
  expect(step.setCookie.filter(isSessionCookie)).toEqual([]);
  const fragment = new URLSearchParams(new URL(step.location).hash.slice(1));
  expect(fragment.get('methods')).toBe('passkey,recovery_code');
  const token = fragment.get('token');
  const entered = await answer(party.gateway, { token, code: 'aaaa-aaaa-aaaa-aaaa' });
  expect([entered.status, entered.body.user.id]).toEqual([200, id]);
  const [session] = await party.world.query<{ amr: string[] }>(
    'SELECT amr FROM account_session WHERE account_id = $1 ORDER BY created_at DESC',
    [id],
  );
  expect(session!.amr).toEqual(['fed', 'otp']);
});
