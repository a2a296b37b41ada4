import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { createThirdParty, isSessionCookie, someone } from '../../../support/people/third-party.ts';
import { createVisitor, followProvider } from '../../../support/people/visitor.ts';
import { closeAfterTests } from '../../../support/worlds/close-after-tests.ts';

const party = await closeAfterTests(
  createThirdParty(
    {},
    {
      GITHUB_CLIENT_ID: 'toolgate',
      GITHUB_CLIENT_SECRET: 'a-secret',
    },
  ),
);
beforeEach(() => {
  party.provider.deviations = {};
  party.provider.person = someone();
});

describe('a redirect back', () => {
  test.each<[string, string, (parameters: URLSearchParams) => void]>([
    ['with another state', 'expired', (all) => all.set('state', 'x'.repeat(43))],
    ['without a state', 'expired', (all) => all.delete('state')],
    ['with two states', 'expired', (all) => all.append('state', all.get('state')!)],
    ['from another issuer (RFC 9207)', 'failed', (all) => all.set('iss', 'https://evil.example')],
    ['without the announced issuer', 'failed', (all) => all.delete('iss')],
    ['with another code', 'failed', (all) => all.set('code', randomUUID())],
    ['without a code', 'failed', (all) => all.delete('code')],
    ['after the person declined', 'denied', (all) => all.set('error', 'access_denied')],
    ['with an error', 'provider_unavailable', (all) => all.set('error', 'server_error')],
    [
      'with a made-up error',
      'provider_unavailable',
      (all) => {
        all.set('error', '<script>alert(1)</script>');
        all.set('error_description', '<b>raw</b>');
      },
    ],
    ['with an overlong code', 'failed', (all) => all.set('code', 'c'.repeat(5_000))],
  ])('%s opens no session (identity 8)', async (_which, reason, redirect) => {
    party.provider.deviations = { redirect };

    const step = await party.visitor().signIn('oidc');

    await party.expectRefused(step, reason);
  });

  test('is valid once, in the same browser and even with a copied cookie (identity 8)', async () => {
    const visitor = party.visitor();
    const callback = await visitor.signInAtProvider('oidc');
    const flow = visitor.jar.get('flow')!;
    const first = await visitor.go(callback);
    party.provider.person = someone();
    const thief = party.visitor();
    thief.jar.set('flow', flow);

    expect(first.location).toBe(party.home);
    await party.expectRefused(await thief.go(callback), 'expired');
  });

  test('is valid once among twenty concurrent requests (P7)', async () => {
    const visitor = party.visitor();
    const callback = await visitor.signInAtProvider('oidc');

    const steps = await Promise.all(Array.from({ length: 20 }, () => visitor.go(callback)));

    expect(steps.filter(({ location }) => location === party.home)).toHaveLength(1);
    expect(steps.filter(({ location }) => location === party.refusedPage('expired'))).toHaveLength(
      19,
    );
  });

  test('in another browser opens no session there, so an attacker cannot sign a victim in to the attacker’s account', async () => {
    const attacker = party.visitor();
    const callback = await attacker.signInAtProvider('oidc');

    await party.expectRefused(await party.visitor().go(callback), 'expired');
    const victim = party.visitor();
    await victim.signInAtProvider('oidc');
    await party.expectRefused(await victim.go(callback), 'expired');

    const own = await attacker.go(callback);
    expect(own.location).toBe(party.home);
  });

  test('is not accepted for another provider', async () => {
    const visitor = party.visitor();
    const callback = await visitor.signInAtProvider('oidc');

    await party.expectRefused(await visitor.go(callback.replace('/oidc/', '/github/')), 'expired');
  });

  test('is invalid after ten minutes, by database time', async () => {
    const flowOf = async (age: string) => {
      const visitor = party.visitor();
      const callback = await visitor.signInAtProvider('oidc');
      await party.world.query(`UPDATE sign_in_flow SET expires_at = expires_at - interval '${age}'
        WHERE consumed_at IS NULL`);
      return visitor.go(callback);
    };

    await party.expectRefused(await flowOf('10 minutes'), 'expired');
    expect((await flowOf('9 minutes 50 seconds')).location).toBe(party.home);
  });
});

describe('the start', () => {
  test('sends state, nonce and PKCE S256, new each time', async () => {
    const responses = await Promise.all(
      [1, 2].map(async () => {
        const { location } = await party.visitor().go('/api/auth/oauth/oidc');
        return Object.fromEntries(new URL(location).searchParams);
      }),
    );

    for (const one of responses)
      expect(one).toEqual({
        client_id: 'toolgate',
        response_type: 'code',
        redirect_uri: `${party.gateway.config.PUBLIC_URL}/api/auth/oauth/oidc/callback`,
        scope: 'openid email profile',
        code_challenge_method: 'S256',
        code_challenge: expect.stringMatching(/^[\w-]{43}$/),
        state: expect.stringMatching(/^[\w-]{43}$/),
        nonce: expect.stringMatching(/^[\w-]{43}$/),
      });
    for (const name of ['state', 'nonce', 'code_challenge'])
      expect(responses[0]![name]).not.toBe(responses[1]![name]);
  });

  test('stores neither the cookie nor the state in plain text (P15)', async () => {
    const visitor = party.visitor();
    const { location } = await visitor.go('/api/auth/oauth/oidc');
    const secrets = [visitor.jar.get('flow')!.value, new URL(location).searchParams.get('state')!];

    const rows = JSON.stringify(await party.world.query('SELECT f::text FROM sign_in_flow f'));

    for (const secret of secrets) {
      expect(rows).not.toContain(secret);
      expect(rows).not.toContain(Buffer.from(secret).toString('hex'));
    }
  });

  test('sets, and the callback clears, a cookie for this sign-in only (identity 4)', async () => {
    const visitor = party.visitor();
    const start = await visitor.go('/api/auth/oauth/oidc');
    const back = await visitor.go(await followProvider(start.location));

    expect(start.setCookie).toEqual([
      expect.stringMatching(
        /^flow=[\w-]{43}; Max-Age=600; Path=\/api\/auth; HttpOnly; SameSite=Lax$/,
      ),
    ]);
    expect(back.setCookie[0]).toBe('flow=; Max-Age=0; Path=/api/auth; HttpOnly; SameSite=Lax');
    expect(back.setCookie.filter(isSessionCookie)).toHaveLength(2);
  });

  test('sets a Secure cookie with its prefix on https', async () => {
    const https = await party.world.gateway({
      env: { PUBLIC_URL: 'https://toolgate.example.com' },
    });

    const { setCookie, location } = await createVisitor(https.url).go('/api/auth/oauth/oidc');

    expect(setCookie).toEqual([
      expect.stringMatching(
        /^__Secure-flow=[\w-]{43}; Max-Age=600; Path=\/api\/auth; HttpOnly; Secure; SameSite=Lax$/,
      ),
    ]);
    expect(new URL(location).searchParams.get('redirect_uri')).toBe(
      'https://toolgate.example.com/api/auth/oauth/oidc/callback',
    );
  });

  test.each([
    ['/settings?tab=keys#new', '/settings?tab=keys#new'],
    ['//evil.example', '/'],
    ['/\\evil.example', '/'],
    ['https://evil.example/', '/'],
    ['/\t/evil.example', '/'],
    ['', '/'],
  ])('with the return path %j returns to %s', async (path, expected) => {
    const query = `?return_path=${encodeURIComponent(path)}`;

    const step = await party.visitor().signIn('oidc', query);

    expect(step.location).toBe(`${party.gateway.config.DASHBOARD_URL}${expected}`);
  });

  test('with two return paths returns to the front page', async () => {
    const step = await party.visitor().signIn('oidc', '?return_path=/a&return_path=/b');

    expect(step.location).toBe(party.home);
  });

  test.each(['nobody', 'google', '__proto__', 'constructor'])(
    'responds 404 for %s, which is not configured, and so does its callback',
    async (id) => {
      const visitor = party.visitor();

      const steps = [
        await visitor.go(`/api/auth/oauth/${id}`),
        await visitor.go(`/api/auth/oauth/${id}/callback?code=x&state=y`),
      ];

      for (const { status, body } of steps) {
        expect(status).toBe(404);
        expect(JSON.parse(body).errors[0].code).toBe('not_found');
      }
    },
  );

  test('is limited to thirty a minute per client address', async () => {
    const visitor = party.visitor();

    const steps = [];
    for (let n = 0; n < 32; n += 1) steps.push(await visitor.go('/api/auth/oauth/oidc'));

    const isSent = steps.map(({ location }) => location.startsWith(party.provider.issuer));
    expect(isSent).toEqual([...Array(30).fill(true), false, false]);
    expect(steps.at(-1)!.location).toBe(party.refusedPage('rate_limited'));
    expect(steps.at(-1)!.setCookie).toEqual([]);
    expect((await party.visitor().go('/api/auth/oauth/oidc')).location).toContain(
      party.provider.issuer,
    );
  });
});
