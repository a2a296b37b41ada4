import { expect, test } from 'vitest';
import type { ServiceInfo } from '../../../../src/accounts/service/schema.ts';
import { createPerson, ownAddresses, signUp } from '../../../support/people/people.ts';
import { useWorld } from '../../../support/worlds/world.ts';
import type { Gateway } from '../../../support/worlds/world.ts';

const ask = ({ url }: Pick<Gateway, 'url'>, headers: Record<string, string> = {}) =>
  createPerson(url).ask<ServiceInfo>({ path: '/api/service', headers });

test('anyone may read what a sign-in page needs, and that nobody has an account yet until someone has', async () => {
  const world = await useWorld(ownAddresses);
  const gateway = await world.gateway();

  const before = await ask(gateway);
  expect(before.body).toEqual({
    version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
    public_url: gateway.config.PUBLIC_URL,
    captcha: { provider: 'altcha', site_key: null },
    providers: [],
    passkeys: true,
    registration_open: true,
    local_mail_url: null,
    first_run: true,
  });
  expect(before.headers.get('cache-control')).toBe('no-store');

  await signUp(world, gateway);
  const after = await ask(gateway);
  expect(after.body).toEqual({ ...before.body, first_run: false });
  expect(after.headers.get('cache-control')).toBe('public, max-age=60');
});

test('the CAPTCHA’s site key and the configured providers are shown, no secret and no person', async () => {
  const world = await useWorld({
    ...ownAddresses,
    ...{ GITHUB_CLIENT_ID: 'toolgate-client', GITHUB_CLIENT_SECRET: 'github-secret' },
  });
  const ada = await signUp(world, await world.gateway(), 'ada');
  const hosted = await world.gateway({
    env: {
      ...{ CAPTCHA: 'turnstile', CAPTCHA_SITE_KEY: 'public-key', CAPTCHA_SECRET: 'captcha-secret' },
      ...{ PUBLIC_URL: 'https://api.toolgate.test', DASHBOARD_URL: 'https://app.toolgate.test' },
    },
  });

  const { status, body } = await ask(hosted);
  expect([status, body.captcha, body.providers, body.public_url]).toEqual([
    200,
    { provider: 'turnstile', site_key: 'public-key' },
    [{ id: 'github', name: 'GitHub' }],
    'https://api.toolgate.test',
  ]);
  const signedIn = await ask(hosted, ada.bearer);
  expect(signedIn.body).toEqual(body);
  expect(JSON.stringify(body)).not.toMatch(/secret|toolgate-client|ada/i);
});

test('only a local start says where it shows its e-mails', async () => {
  const world = await useWorld(ownAddresses);
  const [local, other] = [
    await world.gateway({ env: { DEV_MAIL: 'on' } }),
    await world.gateway({ env: { DEV_MAIL: 'off' } }),
  ];
  expect((await ask(local)).body.local_mail_url).toBe('/dev/mail');
  expect((await ask(other)).body.local_mail_url).toBe(null);
});

test('passkeys are offered only where the dashboard’s host is a name', async () => {
  const world = await useWorld(ownAddresses);
  const passkeysAt = async (PUBLIC_URL: string) =>
    (await ask(await world.gateway({ env: { PUBLIC_URL } }))).body.passkeys;

  expect(await passkeysAt('https://toolgate.test')).toBe(true);
  expect(await passkeysAt('http://127.0.0.1:7070')).toBe(false);
  expect(await passkeysAt('http://[::1]:7070')).toBe(false);
});
