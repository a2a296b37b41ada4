import { describe, expect, test } from 'vitest';
import { addTotp, codeOf, signUpGuarded } from '../../../support/people/factors.ts';
import { signUp } from '../../../support/people/people.ts';
import {
  cookieOf,
  createThirdParty,
  profileOf,
  someone,
} from '../../../support/people/third-party.ts';
import { closeAfterTests } from '../../../support/worlds/close-after-tests.ts';

const needsSso = new Set<string>();
const party = await closeAfterTests(
  createThirdParty({
    organizations: {
      requiresSso: async (_connection, id) => needsSso.has(id),
      solelyOwnedOrganizations: async () => [],
    },
  }),
);

const identitiesOf = (id: string) =>
  party.world.query('SELECT id FROM account_identity WHERE account_id = $1', [id]);

describe('a second factor', () => {
  test('is required after the provider, and there is no session before it', async () => {
    const ada = await signUp(party.world, party.gateway);
    const person = someone({ email: ada.email });
    await party.signInAs(person);
    const { secret } = await addTotp(party.world, ada);

    const { visitor, step } = await party.signInAs(person);

    const [page, fragment] = step.location.split('#');
    const token = new URLSearchParams(fragment).get('token');
    expect([step.status, page]).toEqual([
      302,
      `${party.gateway.config.PUBLIC_URL}/sign-in/second-factor`,
    ]);
    expect(visitor.jar.size).toBe(0);
    const answer = await visitor.person.ask<{ user: { id: string } }>({
      path: '/api/auth/login/second-factor',
      body: { token, code: codeOf(secret) },
    });
    expect([answer.status, answer.body.user.id]).toEqual([200, ada.account_id]);
    const rows = await party.world.query(
      `SELECT amr FROM account_session WHERE account_id = $1 AND 'otp' = ANY (amr)`,
      [ada.account_id],
    );
    expect(rows).toEqual([{ amr: ['fed', 'otp'] }]);
  });

  test('is not bypassed by a verified address: nothing is linked without it', async () => {
    const ada = await signUpGuarded(party.world, party.gateway);

    const { visitor, step } = await party.signInAs(someone({ email: ada.email }));

    await party.expectRefused(step, 'link_in_session');
    expect(visitor.jar.size).toBe(0);
    expect(await identitiesOf(ada.account_id)).toEqual([]);
    const linked = `SELECT FROM mail_job WHERE address = $1 AND kind = 'sign_in_linked'`;
    expect(await party.world.query(linked, [ada.email])).toEqual([]);
    const { rows } = await auditOf(ada.account_id);
    expect(rows.at(-1)).toEqual([
      'session.refuse',
      { provider: 'oidc', reason: 'link_in_session' },
    ]);
    expect(rows.map(([action]) => action)).not.toContain('identity.link');
  });
});

test('after deleting their account a person gets a new one, without any data of the old one', async () => {
  const person = someone();
  const { visitor } = await party.signInAs(person);
  const { body: old } = await profileOf(visitor);
  const deleted = await visitor.person.ask({
    method: 'DELETE',
    path: '/api/user/account',
    body: { confirm: person.email },
    headers: cookieOf(visitor),
  });

  const again = await party.signInAs(person);

  expect(deleted.status).toBe(204);
  expect(await identitiesOf(old.id)).toEqual([]);
  const { body } = await profileOf(again.visitor);
  expect(body).toMatchObject({ email: person.email, verified: true });
  expect(body.id).not.toBe(old.id);
});

describe('sign-in is refused', () => {
  test.each(['a known identity', 'a proven address'])(
    'to a deactivated account by %s',
    async (way) => {
      const person = someone();
      const { visitor } = await party.signInAs(person);
      const { body } = await profileOf(visitor);
      await party.world.query(`UPDATE account SET status = 'deactivated' WHERE id = $1`, [body.id]);

      const again = await party.signInAs(
        way === 'a known identity' ? person : someone({ email: person.email }),
      );

      expect(again.step.location).toBe(party.refusedPage('failed'));
      expect(again.visitor.jar.size).toBe(0);
      expect(await identitiesOf(body.id)).toHaveLength(1);
      expect((await auditOf(body.id)).rows.at(-1)).toEqual([
        'session.refuse',
        { provider: 'oidc', reason: 'failed' },
      ]);
    },
  );

  test.each(['a known identity', 'a proven address'])(
    'by %s if the organization requires SSO (identity 8)',
    async (way) => {
      const person = someone();
      const { visitor } = await party.signInAs(person);
      const { body } = await profileOf(visitor);
      needsSso.add(body.id);

      const again = await party.signInAs(
        way === 'a known identity' ? person : someone({ email: person.email }),
      );

      expect(again.step.location).toBe(party.refusedPage('sso_required'));
      expect(again.visitor.jar.size).toBe(0);
      expect(await identitiesOf(body.id)).toHaveLength(1);
    },
  );
});

async function auditOf(account: string) {
  const rows = await party.world.query<{ action: string; detail: unknown }>(
    `SELECT action, detail FROM audit_event WHERE scope_id = $1 ORDER BY action = 'session.refuse', action, id`,
    [account],
  );
  return { rows: rows.map(({ action, detail }) => [action, detail]) };
}
