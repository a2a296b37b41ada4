import { expect, inject, onTestFinished, test } from 'vitest';
import { createFormLimits } from '../../../src/limits/forms/forms.ts';
import type { FormKey, FormKind, FormLimits } from '../../../src/limits/forms/forms.ts';
import { defaultPlans } from '../../../src/platform/config/plans.ts';
import { createProxy } from '../../support/servers/proxy.ts';
import { openRedis, useBench } from './bench.ts';

const { addresses } = defaultPlans;

async function useForms() {
  const { redis } = await useBench();
  return createFormLimits({ redis, addresses });
}

/** Returns how many of these concurrent attempts passed. */
async function countPassed(forms: FormLimits, count: number, kind: FormKind, key: FormKey) {
  const tries = Array.from({ length: count }, () => forms.take(kind, key));
  return (await Promise.allSettled(tries)).filter(({ status }) => status === 'fulfilled').length;
}

test('each form has a limit per client address, or per /64 for IPv6 (decisions 9)', async () => {
  const forms = await useForms();

  expect(await countPassed(forms, 70, 'challenge', { address: '192.0.2.1' })).toBe(60);
  expect(await countPassed(forms, 610, 'authorization', { address: '192.0.2.1' })).toBe(600);
  expect(await countPassed(forms, 30, 'register', { address: '2001:db8:0:1::1' })).toBe(20);
  expect(await countPassed(forms, 1, 'register', { address: '2001:db8:0:1:ffff::2' })).toBe(0);
  expect(await countPassed(forms, 1, 'register', { address: '2001:db8:0:2::1' })).toBe(1);
  expect(await countPassed(forms, 1, 'register', { address: '192.0.2.1' })).toBe(1);
});

test('invitations are limited per organization, and per person over all organizations', async () => {
  const forms = await useForms();
  const { hour } = addresses.invitation;
  const invite = (count: number, organization: string, account: string) =>
    countPassed(forms, count, 'invitation', { organization, account });

  expect(await invite(hour, 'first', 'eve')).toBe(hour);
  expect(await invite(1, 'second', 'eve')).toBe(0);
  expect(await invite(1, 'first', 'ada')).toBe(0);
  expect(await invite(1, 'second', 'ada')).toBe(1);
});

test('failed sign-ins are limited to ten per e-mail in 15 minutes and 200 per address in an hour', async () => {
  const forms = await useForms();
  const address = '192.0.2.7';

  const counts = [];
  for (let person = 0; person < 21; person += 1)
    counts.push(
      await countPassed(forms, 12, 'login_failed', { address, email: `p${person}@x.org` }),
    );

  expect(counts).toEqual([...Array(20).fill(10), 0]);
  const elsewhere = { address: '192.0.2.8', email: 'p0@x.org' };
  expect(await countPassed(forms, 12, 'login_failed', elsewhere)).toBe(10);
});

test('a sign-in with a correct password is not counted', async () => {
  const forms = await useForms();
  const key = { address: '192.0.2.9', email: 'ada@example.org' };
  for (let signIn = 0; signIn < 15; signIn += 1) {
    await forms.take('login_failed', key);
    await forms.giveBack('login_failed', key);
  }

  expect(await countPassed(forms, 15, 'login_failed', key)).toBe(10);
});

test('a refusal is rate_limited with a retry time', async () => {
  const forms = await useForms();
  const key = { address: '192.0.2.9', email: 'ada@example.org' };
  await countPassed(forms, 10, 'login_failed', key);

  const error: unknown = await forms.take('login_failed', key).catch((reason: unknown) => reason);

  expect(error).toMatchObject({ kind: 'limited', code: 'rate_limited' });
  const { retryAfterSeconds } = error as { retryAfterSeconds: number };
  expect(retryAfterSeconds).toBeGreaterThan(600);
  expect(retryAfterSeconds).toBeLessThanOrEqual(900);
});

test('without Redis, the same limits apply within the process', async () => {
  const proxy = await createProxy(inject('redisUrl'));
  onTestFinished(proxy.close);
  const redis = await openRedis(proxy.url, 'away:');
  onTestFinished(redis.close);
  const forms = createFormLimits({ redis, addresses });
  proxy.down();

  expect(await countPassed(forms, 30, 'register', { address: '192.0.2.1' })).toBe(20);
});
