import { describe, expect, test } from 'vitest';
import { createPerson, newEmail, signUp } from '../../support/people/people.ts';
import { useGateway } from '../../support/worlds/use-gateway.ts';

const { world, gateway } = await useGateway({ TRUSTED_PROXIES: '127.0.0.0/8,192.0.2.0/24' });

/** Fails to sign in twelve times with these X-Forwarded-For headers, and returns the statuses. */
async function failToSignIn(forwardedFor: (n: number) => string): Promise<number[]> {
  const email = newEmail();
  const statuses: number[] = [];
  for (let n = 0; n < 12; n += 1) {
    const person = createPerson(gateway.url, forwardedFor(n));
    const body = { email, password: 'wrong wrong wrong' };
    statuses.push((await person.ask<unknown>({ path: '/api/auth/login', body })).status);
  }
  return statuses;
}

const limited = [...Array<number>(10).fill(401), 429, 429];

describe('a client is one address, regardless of how a trusted proxy writes it (decisions 9: client address)', () => {
  test.each<[string, (n: number) => string]>([
    ['with the port of each connection', (n) => `203.0.113.7:${40_000 + n}`],
    ['with a port after the brackets', (n) => `[2001:db8::7]:${40_000 + n}`],
    ['in one /64, in brackets', (n) => `[2001:db8:0:1::${n + 1}]`],
    ['with and without a port', (n) => (n % 2 === 0 ? '203.0.113.8' : '203.0.113.8:4711')],
    ['left of a trusted proxy with a port', (n) => `203.0.113.9, 192.0.2.1:${40_000 + n}`],
  ])('%s', async (_how, forwardedFor) => {
    expect(await failToSignIn(forwardedFor)).toEqual(limited);
  });

  test('a trusted proxy listed with its port is not the client: clients behind it are distinguished', async () => {
    const email = newEmail();
    const statuses: number[] = [];
    for (let n = 0; n < 12; n += 1) {
      const person = createPerson(gateway.url, `203.0.113.${20 + n}, 192.0.2.1:443`);
      const body = { email, password: 'wrong wrong wrong' };
      statuses.push((await person.ask<unknown>({ path: '/api/auth/login', body })).status);
    }
    expect(statuses).toEqual(Array<number>(12).fill(401));
  });
});

test.each([
  ['an address with a port', '203.0.113.7:4711', '203.0.113.7'],
  ['an IPv6 address in brackets with a port', '[2001:db8::7]:443', '2001:db8::7'],
  ['an invalid value', 'garbage', '127.0.0.1'],
  ['a value of three thousand characters', 'x'.repeat(3_000), '127.0.0.1'],
])('a session stores only a plain address, given %s (decisions 9)', async (_what, sent, stored) => {
  const { email, password, account_id } = await signUp(world, gateway);
  await createPerson(gateway.url, sent).ask<unknown>({
    path: '/api/auth/login',
    body: { email, password },
  });

  const rows = await world.query(
    'SELECT ip FROM account_session WHERE account_id = $1 ORDER BY created_at DESC LIMIT 1',
    [account_id],
  );
  expect(rows).toEqual([{ ip: stored }]);
});
