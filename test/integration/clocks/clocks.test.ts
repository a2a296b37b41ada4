import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Challenge } from 'altcha-lib/types';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createAltcha } from '../../../src/accounts/captcha/altcha.ts';
import { createAccessTokens } from '../../../src/accounts/sessions/tokens.ts';
import { solveCaptcha } from '../../../src/cli/solve-captcha.ts';
import { createSecrets } from '../../../src/platform/secrets.ts';
import {
  createKey,
  createPerson,
  ownAddresses,
  selectTools,
  signUp,
  tokenOf,
} from '../../support/people/people.ts';
import type { SendRequest, SignedUp } from '../../support/people/people.ts';
import { shiftedClock } from '../../support/worlds/shifted-clock.ts';
import { useGateway } from '../../support/worlds/use-gateway.ts';
import { createResetting, newPassword } from '../accounts/passwords/resetting.ts';
import { startChildGateway } from '../attack/child-gateway.ts';
import { ask } from '../mcp/key-holder.ts';

const PUBLIC_URL = 'http://localhost:7070';
const CALLS_A_DAY = 6;
const MINUTE = 60_000;

const plans = join(mkdtempSync(join(tmpdir(), 'toolgate-plans-')), 'plans.json');
writeFileSync(plans, JSON.stringify({ free: { tool_calls: { day: CALLS_A_DAY } } }));
const { world, gateway: accurateGateway } = await useGateway({
  PUBLIC_URL,
  PLANS_FILE: plans,
  ...ownAddresses,
});

const secrets = () => createSecrets(world.env['SECRETS_KEY']!);
/** Returns the database's time, this many seconds from now. */
async function databaseTime(seconds = 0): Promise<Date> {
  const rows = await world.query<{ at: Date }>("SELECT now() + $1 * interval '1 second' AS at", [
    seconds,
  ]);
  return rows[0]!.at;
}
const sessionOf = (token: string): { sid: string; iat: number; exp: number } =>
  JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString());

describe.each([
  ['ten minutes fast', 10 * MINUTE],
  ['ten minutes slow', -10 * MINUTE],
  ['an hour slow', -60 * MINUTE],
  ['a month fast', 31 * 24 * 60 * MINUTE],
])(
  'a gateway whose clock is %s agrees with one whose clock is right (F-C1, F-C2)',
  (_what, shift) => {
    let shiftedGateway: Awaited<ReturnType<typeof startChildGateway>>;
    let ada: SignedUp;
    beforeAll(async () => {
      shiftedGateway = await startChildGateway(world, shiftedClock(shift));
      ada = await signUp(world, shiftedGateway);
    });
    afterAll(() => shiftedGateway.stop());

    /** Sends a newly created request to each gateway, and returns both statuses. */
    const askBoth = async (createRequest: () => SendRequest | Promise<SendRequest>) => {
      const statuses: number[] = [];
      for (const { url } of [shiftedGateway, accurateGateway])
        statuses.push((await createPerson(url).ask<unknown>(await createRequest())).status);
      return statuses;
    };

    test('its clock differs, yet an account signed up through it is signed in at both', async () => {
      // A request id begins with the milliseconds of the gateway's clock.
      const { headers } = await fetch(`${shiftedGateway.url}/health/live`);
      const requestTime = Number.parseInt(
        headers.get('x-request-id')!.replace('-', '').slice(0, 12),
        16,
      );
      const offset = requestTime - (await databaseTime()).getTime();
      const { iat, exp } = sessionOf(ada.access_token);

      expect(Math.abs(offset - shift)).toBeLessThan(MINUTE);
      expect(exp - iat).toBe(900);
      expect(Math.abs(iat * 1_000 - (await databaseTime()).getTime())).toBeLessThan(2 * MINUTE);
      expect(await askBoth(() => ({ path: '/api/user/profile', headers: ada.bearer }))).toEqual([
        200, 200,
      ]);
    });

    test('an access token expires after fifteen minutes of database time', async () => {
      const tokens = createAccessTokens(secrets().subkeys('session-jwt'), PUBLIC_URL);
      const { sid } = sessionOf(ada.access_token);
      const seconds = (await databaseTime()).getTime() / 1_000;
      const issued = async (ago: number) => {
        const token = await tokens.sign(
          { id: sid, account_id: ada.account_id },
          Math.floor(seconds) - ago,
        );
        return { path: '/api/user/profile', headers: { authorization: `Bearer ${token}` } };
      };

      expect(await askBoth(() => issued(840))).toEqual([200, 200]);
      expect(await askBoth(() => issued(901))).toEqual([401, 401]);
    });

    test('a refresh token is valid until its session expires by database time', async () => {
      const refresh = async (until: string) => {
        const { body, cookies } = await createPerson(accurateGateway.url).ask<{
          access_token: string;
        }>({
          path: '/api/auth/login',
          body: { email: ada.email, password: ada.password },
        });
        await world.query(
          'UPDATE account_session SET expires_at = now() + $1::interval WHERE id = $2',
          [until, sessionOf(body.access_token).sid],
        );
        const cookie = `refresh=${cookies.get('refresh')}`;
        return { method: 'POST', path: '/api/auth/refresh', headers: { cookie } };
      };

      expect(await askBoth(() => refresh('5 minutes'))).toEqual([200, 200]);
      expect(await askBoth(() => refresh('-1 second'))).toEqual([401, 401]);
    });

    test('a verification link is valid until it expires by database time (rel:B4-14)', async () => {
      const link = async (until: string) => {
        const person = createPerson(accurateGateway.url);
        const email = `${crypto.randomUUID()}@example.com`;
        await person.register({ email });
        const token = tokenOf(await world.mailbox.next(email));
        await world.query(
          'UPDATE registration_link SET expires_at = now() + $1::interval WHERE email = $2',
          [until, email],
        );
        return { path: '/api/auth/verify-email', body: { token } };
      };

      expect(await askBoth(() => link('5 minutes'))).toEqual([200, 200]);
      expect(await askBoth(() => link('-1 second'))).toEqual([422, 422]);
    });

    test('a reset link is valid until it expires by database time, and a cooldown lasts five minutes of database time', async () => {
      const [ben, dora] = [
        await signUp(world, accurateGateway, 'ben'),
        await signUp(world, accurateGateway, 'dora'),
      ];
      const { ask: askReset, settled, emailsTo } = createResetting(world, shiftedGateway.url);
      const backdateCooldown = (interval: string, { account_id } = ben) =>
        world.query('UPDATE mail_cooldown SET sent_at = now() - $1::interval WHERE address = $2', [
          interval,
          account_id,
        ]);
      const emailsAfter = async () => {
        await askReset(ben.email);
        await settled(ben.email);
        return emailsTo(ben.email);
      };
      const link = async (until: string) => {
        await backdateCooldown('6 minutes', dora);
        const token = await createResetting(world, accurateGateway.url).linkFor(dora.email);
        await world.query(
          'UPDATE password_reset SET expires_at = now() + $1::interval WHERE email = $2',
          [until, dora.email],
        );
        return { path: '/api/auth/password/reset/confirm', body: { token, password: newPassword } };
      };
      const first = await emailsAfter();
      await backdateCooldown('4 minutes 40 seconds');
      const cooling = await emailsAfter();
      await backdateCooldown('5 minutes');

      expect([cooling, await emailsAfter()]).toEqual([first, first + 1]);
      expect(await askBoth(() => link('5 minutes'))).toEqual([200, 200]);
      expect(await askBoth(() => link('-1 second'))).toEqual([422, 422]);
    });

    test('a captcha is valid for ten minutes of database time, whichever gateway issued it', async () => {
      const here = createAltcha(secrets().subkeys('captcha'));
      const solved = async (seconds: number) => {
        const { provider: _provider, ...challenge } = await here.challenge(
          await databaseTime(seconds),
        );
        const captcha_token = await solveCaptcha(challenge as unknown as Challenge);
        return {
          path: '/api/auth/resend-verification',
          body: { email: 'no@example.com', captcha_token },
        };
      };
      // The challenge has the child process's difficulty; that of the other gateway is lower.
      const status = async (request: SendRequest) =>
        (await createPerson(shiftedGateway.url).ask<unknown>(request)).status;

      expect(await status(await solved(-9 * 60))).toBe(200);
      expect(await status(await solved(-601))).toBe(422);
    });

    test('a key’s expiry is judged by database time (A3)', async () => {
      const make = async (seconds: number) => ({
        path: '/api/keys',
        headers: ada.bearer,
        body: {
          name: crypto.randomUUID(),
          mcp_capabilities: [],
          expires_at: (await databaseTime(seconds)).toISOString(),
        },
      });
      const { id, secret } = await createKey(ada, {
        expires_at: (await databaseTime(300)).toISOString(),
        grants: [{ scope: { type: 'personal' }, permissions: ['can_view_tools'] }],
      });
      const use = () => ({ path: '/api/me/tools/scopable', headers: { 'x-api-key': secret } });

      expect(await askBoth(() => make(300))).toEqual([201, 201]);
      expect(await askBoth(() => make(-1))).toEqual([422, 422]);
      expect(await askBoth(use)).toEqual([200, 200]);
      await world.query(
        "UPDATE api_key SET expires_at = now() - interval '1 second' WHERE id = $1",
        [id],
      );
      expect(await askBoth(use)).toEqual([401, 401]);
    });

    test('both gateways count calls in the same windows and month, whatever their clocks say (P9)', async () => {
      const cleo = await signUp(world, shiftedGateway, 'cleo');
      await selectTools(cleo, ['uuid']);
      const { secret } = await createKey(cleo);
      const outcomes: boolean[] = [];
      for (let n = 0; n < CALLS_A_DAY + 4; n += 1) {
        const { url } = n % 2 === 0 ? shiftedGateway : accurateGateway;
        const { body } = await ask(`${url}/mcp`, { 'x-api-key': secret }, 'tools/call', {
          name: 'uuid',
          arguments: {},
        });
        outcomes.push(body.result.isError !== true);
      }

      expect(outcomes.filter(Boolean)).toHaveLength(CALLS_A_DAY);
      await expect
        .poll(
          () =>
            world.query(
              `SELECT count(*)::int AS n, bool_and(month = date_trunc('month', now() AT TIME ZONE 'UTC'))
               AS this_month FROM usage_ledger WHERE owner_id = $1 AND counted`,
              [cleo.account_id],
            ),
          { timeout: 10_000 },
        )
        .toEqual([{ n: CALLS_A_DAY, this_month: true }]);
    });
  },
);
