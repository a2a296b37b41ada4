import { afterEach, describe, expect, test, vi } from 'vitest';
import type { Challenge } from 'altcha-lib/types';
import { createAltcha } from '../../../../src/accounts/captcha/altcha.ts';
import { solveCaptcha } from '../../../../src/cli/solve-captcha.ts';
import { createSecrets } from '../../../../src/platform/secrets.ts';
import { createPerson, newEmail, ownAddresses } from '../../../support/people/people.ts';
import { createQuickCaptcha } from '../../../support/people/quick-captcha.ts';
import { useGateway } from '../../../support/worlds/use-gateway.ts';
import { scaledTimeout, trials } from '../../properties/trials.ts';

const { world, gateway } = await useGateway(ownAddresses);
afterEach(() => void vi.useRealTimers());

/** Shifts the clock of gateway and browser; the database keeps its own. */
const shift = (minutes: number) =>
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + minutes * 60_000 });

const databaseNow = async () => (await world.query<{ now: Date }>('SELECT now() AS now'))[0]!.now;

/** Returns a token whose challenge was issued this many seconds ago, by database time. */
async function tokenOfAge(seconds: number): Promise<string> {
  const key = createSecrets(gateway.config.SECRETS_KEY).subkeys('captcha');
  const easy = { algorithm: 'SHA-256', cost: 1, counter: [50, 200] } as const;
  const issued = new Date((await databaseNow()).getTime() - seconds * 1_000);
  const challenge = await createAltcha(key, easy).challenge(issued);
  return solveCaptcha(challenge as unknown as Challenge);
}

test(
  'only one of twenty forms with the same token at two gateways is accepted (rel:B4-4, S8)',
  { timeout: scaledTimeout(60_000) },
  async () => {
    const quick = createQuickCaptcha(world.env);
    const overrides = { captcha: quick.captcha };
    const urls = [
      (await world.gateway({ overrides })).url,
      (await world.gateway({ overrides })).url,
    ];
    const paths = ['/api/auth/resend-verification', '/api/auth/password/reset'];
    const send = async (index: number, captcha_token: string) => {
      const body = { email: newEmail(), captcha_token };
      const path = paths[(index >> 1) % 2]!;
      return (await createPerson(urls[index % 2]!).ask({ path, body })).status;
    };

    for (let round = 0; round < trials(25); round += 1) {
      const token = await quick.token();
      const statuses = await Promise.all(Array.from({ length: 20 }, (_, at) => send(at, token)));
      expect(statuses.toSorted((a, b) => a - b)).toEqual([200, ...Array(19).fill(422)]);
    }
  },
);

describe('a challenge is valid for ten minutes by database time (rel:F-C1, B4-4)', () => {
  test.each([-10, 10, 60, -60, 45_000])(
    "even if the gateway's clock is %i minutes off",
    async (minutes) => {
      const person = createPerson(gateway.url);
      shift(minutes);
      const here = await person.captcha();
      vi.useRealTimers();
      const there = await person.captcha();

      expect((await person.register({ captcha_token: here })).status).toBe(201);
      shift(minutes);
      expect((await person.register({ captcha_token: there })).status).toBe(201);
      const old = await person.register({ captcha_token: await tokenOfAge(601) });
      expect(old.status).toBe(422);
    },
  );

  test.each([
    [590, 201],
    [600, 422],
    [601, 422],
  ])('%i seconds after its issue a token is %i', async (seconds, status) => {
    const answer = await createPerson(gateway.url).register({
      captcha_token: await tokenOfAge(seconds),
    });

    expect(answer.status).toBe(status);
  });

  test('a spent token is stored longer than it is valid', async () => {
    const captcha_token = await createPerson(gateway.url).captcha();
    await createPerson(gateway.url).register({ captcha_token });

    const rows = await world.query<{ long_enough: boolean }>(
      `SELECT expires_at > now() + interval '9 minutes' AS long_enough FROM used_once`,
    );
    expect(rows.length).toBeGreaterThan(0);
    const again = await createPerson(gateway.url).register({ captcha_token });
    expect(again.status).toBe(422);
  });
});
