import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { whileSessionsEnd } from '../../../support/servers/ending.ts';
import { createKey, newEmail, signUp } from '../../../support/people/people.ts';
import { cookieOf, createThirdParty, profileOf } from '../../../support/people/third-party.ts';
import { followProvider } from '../../../support/people/visitor.ts';
import type { Visitor } from '../../../support/people/visitor.ts';
import { closeAfterTests } from '../../../support/worlds/close-after-tests.ts';

const party = await closeAfterTests(createThirdParty());

interface Identity {
  id: string;
  provider: string;
  name: string;
  created_at: string;
  last_used_at: string | null;
}
interface Body {
  data: Identity[];
  next_cursor: string | null;
  location: string;
  errors: { code: string }[];
}
type Headers = Record<string, string>;
const anyone = () => party.visitor().person;
const list = (headers: Headers) => anyone().ask<Body>({ path: '/api/user/identities', headers });
const remove = (id: string, headers: Headers, body: unknown = {}) =>
  anyone().ask<Body>({ method: 'DELETE', path: `/api/user/identities/${id}`, headers, body });
const codesOf = ({ status, body }: { status: number; body: Body }) => [
  status,
  body?.errors?.[0]?.code,
];

/** Creates an account that can only sign in through the provider. */
async function signUpByProvider(sub = randomUUID(), email = newEmail()) {
  party.provider.person = { sub, email, email_verified: true };
  const visitor = party.visitor();
  await visitor.signIn('oidc');
  const { body } = await profileOf(visitor);
  return { visitor, cookie: cookieOf(visitor), account_id: body.id, email };
}

/** Signs an account up with a password, and the visitor's browser in to it. */
async function signUpIn(visitor: Visitor) {
  const ada = await signUp(party.world, party.gateway);
  visitor.jar.set('session', { value: ada.cookies.get('session')!, path: '/' });
  return ada;
}

/** Starts linking the provider in the session's browser. */
async function begin(visitor: Visitor, body: Record<string, unknown>) {
  const answer = await visitor.person.ask<Body>({
    path: '/api/user/identities',
    body: { provider: 'oidc', ...body },
    headers: { ...cookieOf(visitor), origin: party.gateway.config.PUBLIC_URL },
  });
  const flow = answer.cookies.get('flow')?.split(';')[0];
  if (flow) visitor.jar.set('flow', { value: flow, path: '/api/auth' });
  return answer;
}
const audited = async (account: string, action: string) => {
  const rows = await party.world.query(
    'SELECT credential_id, detail FROM audit_event WHERE scope_id = $1 AND action = $2',
    [account, action],
  );
  return rows;
};

describe('the list', () => {
  test('shows when each third party was linked and last used', async () => {
    const sub = randomUUID();
    const { cookie } = await signUpByProvider(sub);

    const { status, body } = await list(cookie);

    expect([status, body]).toEqual([
      200,
      {
        data: [
          {
            id: expect.any(String),
            provider: 'oidc',
            name: 'Example ID',
            created_at: expect.stringMatching(/Z$/),
            last_used_at: expect.stringMatching(/Z$/),
          },
        ],
        next_cursor: null,
      },
    ]);
    expect(JSON.stringify(body)).not.toContain(sub);
  });

  test('of configured providers is public', async () => {
    const { status, body } = await anyone().ask<Body>({ path: '/api/auth/providers' });

    expect([status, body]).toEqual([
      200,
      { data: [{ id: 'oidc', name: 'Example ID' }], next_cursor: null },
    ]);
  });

  test('of providers has a fixed order', async () => {
    const env = {
      GOOGLE_CLIENT_ID: 'a',
      GOOGLE_CLIENT_SECRET: 'b',
      GITHUB_CLIENT_ID: 'c',
      GITHUB_CLIENT_SECRET: 'd',
    };
    const { url } = await party.world.gateway({ env });

    const { data } = (await (await fetch(`${url}/api/auth/providers`)).json()) as Body;

    expect(data.map(({ id }) => id)).toEqual(['google', 'github', 'oidc']);
  });
});

describe('linking a provider', () => {
  test('requires reauthentication (decisions 9)', async () => {
    const visitor = party.visitor();
    const ada = await signUpIn(visitor);

    const answers = [
      await begin(visitor, {}),
      await begin(visitor, { current_password: 'quartz meadow tunnel 19' }),
    ];

    for (const answer of answers) {
      expect(codesOf(answer)).toEqual([403, 'reauthentication_required']);
      expect(answer.cookies.size).toBe(0);
    }
    expect((await begin(visitor, { current_password: ada.password })).status).toBe(200);
  });

  test('goes to the provider and back, sends an e-mail and opens no other session', async () => {
    const visitor = party.visitor();
    const ada = await signUpIn(visitor);
    const sub = randomUUID();
    party.provider.person = { sub };

    const return_path = '/settings/account';
    const { body } = await begin(visitor, { current_password: ada.password, return_path });
    const step = await visitor.go(await followProvider(body.location));

    expect(step.location).toBe(`${party.gateway.config.DASHBOARD_URL}/settings/account`);
    expect(step.setCookie.map((line) => line.split('=')[0])).toEqual(['flow']);
    expect(await linkedTo(ada.account_id)).toBe(1);
    expect((await party.world.mailbox.next(ada.email)).subject).toBe('New sign-in method added');
    expect(await audited(ada.account_id, 'identity.link')).toEqual([
      { credential_id: expect.any(String), detail: { provider: 'oidc' } },
    ]);
    party.provider.person = { sub };
    const later = party.visitor();
    await later.signIn('oidc');
    expect((await profileOf(later)).body.id).toBe(ada.account_id);
  });

  test('is refused if the identity is linked to another account', async () => {
    const sub = randomUUID();
    const other = await signUpByProvider(sub);
    const visitor = party.visitor();
    const ada = await signUpIn(visitor);
    party.provider.person = { sub };

    const { body } = await begin(visitor, { current_password: ada.password });
    const step = await visitor.go(await followProvider(body.location));

    expect(step.location).toBe(party.refusedPage('linked_elsewhere'));
    expect(await linkedTo(ada.account_id)).toBe(0);
    expect(await linkedTo(other.account_id)).toBe(1);
  });

  test('is refused after the requesting session has ended', async () => {
    const visitor = party.visitor();
    const ada = await signUpIn(visitor);
    party.provider.person = { sub: randomUUID() };
    const { body } = await begin(visitor, { current_password: ada.password });
    const callback = await followProvider(body.location);

    await ada.person.ask({ method: 'POST', path: '/api/auth/logout', headers: ada.bearer });

    await party.expectRefused(await visitor.go(callback), 'expired');
  });

  test('is refused if the session ends while the callback waits (P4)', async () => {
    const visitor = party.visitor();
    const ada = await signUpIn(visitor);
    party.provider.person = { sub: randomUUID() };
    const { body } = await begin(visitor, { current_password: ada.password });
    const callback = await followProvider(body.location);
    const back = () => visitor.go(callback);

    await party.expectRefused(await whileSessionsEnd(party.world, ada.account_id, back), 'expired');
    expect(await linkedTo(ada.account_id)).toBe(0);
  });

  test('is refused with 422 for an unknown provider, 403 with a key, 401 without a session', async () => {
    const visitor = party.visitor();
    const ada = await signUpIn(visitor);
    const { secret } = await createKey(ada);
    const body = { provider: 'oidc', current_password: ada.password };
    const path = '/api/user/identities';

    const answers = [
      await begin(visitor, { provider: 'nobody', current_password: ada.password }),
      await ada.person.ask<Body>({ path, body, headers: { 'x-api-key': secret } }),
      await ada.person.ask<Body>({ path, body }),
    ];

    expect(answers.map(codesOf)).toEqual([
      [422, 'unknown_provider'],
      [403, 'interactive_only'],
      [401, 'authentication_required'],
    ]);
  });
});

describe('unlinking a provider', () => {
  test('is refused if it is the last way to sign in (422 last_way_in)', async () => {
    const { cookie, account_id } = await signUpByProvider();
    const { body } = await list(cookie);

    expect(codesOf(await remove(body.data[0]!.id, cookie))).toEqual([422, 'last_way_in']);
    expect(await linkedTo(account_id)).toBe(1);
  });

  test('ends the other sessions if another way remains; of two concurrent requests one is refused', async () => {
    const { cookie, account_id, email } = await signUpByProvider();
    const second = await signUpByProvider(randomUUID(), email);
    expect(second.account_id).toBe(account_id);
    const { body } = await list(cookie);

    const answers = await Promise.all(body.data.map(({ id }) => remove(id, cookie)));

    expect(answers.map(({ status }) => status)).toEqual(expect.arrayContaining([204, 422]));
    expect(await linkedTo(account_id)).toBe(1);
    expect((await list(cookie)).status).toBe(200);
    expect((await list(second.cookie)).status).toBe(401);
    expect(await audited(account_id, 'identity.unlink')).toHaveLength(1);
  });

  test('requires the account’s password, and the provider no longer signs in to the account', async () => {
    const ada = await signUp(party.world, party.gateway);
    const sub = randomUUID();
    const linked = await signUpByProvider(sub, ada.email);
    const { body } = await list(linked.cookie);
    const { id } = body.data[0]!;

    expect(codesOf(await remove(id, linked.cookie))).toEqual([403, 'reauthentication_required']);
    const { status } = await remove(id, linked.cookie, { current_password: ada.password });

    expect(status).toBe(204);
    party.provider.person = { sub };
    const later = party.visitor();
    await later.signIn('oidc');
    expect((await profileOf(later)).body.id).not.toBe(ada.account_id);
  });

  test('requires a sign-in under ten minutes old if there is no password', async () => {
    const { cookie, account_id } = await signUpByProvider();
    await party.world.query(
      `UPDATE account_session SET auth_time = auth_time - interval '11 minutes'
       WHERE account_id = $1`,
      [account_id],
    );
    const { body } = await list(cookie);

    expect(codesOf(await remove(body.data[0]!.id, cookie))).toEqual([
      403,
      'reauthentication_required',
    ]);
  });

  test('of another account gets the same 404 as an unknown id', async () => {
    const [ada, ben] = [await signUpByProvider(), await signUpByProvider()];
    const { body } = await list(ben.cookie);

    const foreign = await remove(body.data[0]!.id, ada.cookie);
    const unknown = await remove(randomUUID(), ada.cookie);
    const noId = await remove('one', ada.cookie);

    expect([foreign.status, unknown.status, noId.status]).toEqual([404, 404, 404]);
    expect(foreign.body).toEqual(unknown.body);
    expect(await linkedTo(ben.account_id)).toBe(1);
  });
});

/** Returns the number of identities linked to the account. */
async function linkedTo(account: string) {
  const rows = await party.world.query('SELECT id FROM account_identity WHERE account_id = $1', [
    account,
  ]);
  return rows.length;
}
