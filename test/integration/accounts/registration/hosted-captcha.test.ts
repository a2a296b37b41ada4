import { setTimeout as wait } from 'node:timers/promises';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startCaptchaProvider } from '../../../support/people/captcha-provider.ts';
import type { ProviderState } from '../../../support/people/captcha-provider.ts';
import { createPerson, newEmail, ownAddresses } from '../../../support/people/people.ts';
import { createWorld } from '../../../support/worlds/world.ts';
import { closeAfterTests } from '../../../support/worlds/close-after-tests.ts';
import type { Gateway } from '../../../support/worlds/world.ts';
import { startFaultySmtp } from '../mail/faulty-smtp.ts';

const provider = await closeAfterTests(startCaptchaProvider());
const smtp = await closeAfterTests(startFaultySmtp());
const world = await closeAfterTests(createWorld({ ...ownAddresses, SMTP_URL: smtp.url }));
beforeEach(() => {
  provider.fault = 'well';
  smtp.fault = null;
  provider.requests.length = 0;
});

const saved = async () => {
  const [row] = await world.query<Record<string, string>>(
    `SELECT (SELECT count(*) FROM registration) AS registrations,
      (SELECT count(*) FROM used_once) AS spent, (SELECT count(*) FROM mail_job) AS jobs`,
  );
  return row;
};

describe.each(['turnstile', 'hcaptcha', 'recaptcha'])('with CAPTCHA=%s', (name) => {
  let gateway: Gateway;
  beforeAll(async () => {
    gateway = await world.gateway({ env: provider.env(name) });
  });

  const register = async (captcha_token: string | undefined) => {
    const answer = await createPerson(gateway.url).register({ captcha_token });
    const { errors } = answer.body as unknown as { errors?: { code: string }[] };
    return [answer.status, ...(errors ?? []).map(({ code }) => code)];
  };

  test('the captcha endpoint returns which widget to show', async () => {
    const { status, body } = await createPerson(gateway.url).ask({ path: '/api/auth/captcha' });

    expect([status, body]).toEqual([
      200,
      { provider: name, site_key: `site of ${name}`, action: 'account' },
    ]);
  });

  test('a token registers once, and the provider is not called again (rel:B4-4)', async () => {
    const token = provider.token();

    expect(await register(token)).toEqual([201]);
    expect(await register(token)).toEqual([422, 'captcha_failed']);
    expect(provider.requests).toHaveLength(1);
  });

  test.each([undefined, '', 'never issued', 'never-issued'])(
    'the token %j is refused with 422, and nothing is saved (rel:B4-4)',
    async (token) => {
      const before = await saved();

      expect(await register(token)).toEqual([422, 'captcha_failed']);
      expect(await saved()).toEqual(before);
    },
  );

  test('a token issued for another site is refused with 422', async () => {
    expect(await register(provider.token({ hostname: 'evil.example' }))).toEqual([
      422,
      'captcha_failed',
    ]);
  });

  test('a token sent ten times at once registers once (rel:B4-4, S8)', async () => {
    const token = provider.token();
    const before = Number((await saved())!['registrations']);

    const answers = await Promise.all(Array.from({ length: 10 }, () => register(token)));

    expect(answers.filter(([status]) => status === 201)).toHaveLength(1);
    expect(Number((await saved())!['registrations'])).toBe(before + 1);
  });

  test.each<ProviderState>(['down', 'slow', 'garbage', 'overloaded', 'wrong_secret'])(
    'a provider that is %s causes a 503: nothing saved, the token still valid (rel:F-S2)',
    async (fault) => {
      const token = provider.token();
      const before = await saved();
      provider.fault = fault;

      expect(await register(token)).toEqual([503, 'captcha_unavailable']);
      expect(await saved()).toEqual(before);
      provider.fault = 'well';
      expect(await register(token)).toEqual([201]);
    },
  );

  test('mail is checked before the provider, whose check would spend the token (rel:B4-12)', async () => {
    const token = provider.token();
    const before = await saved();
    smtp.fault = { at: 'greeting', does: 421 };
    // Longer than the check is cached.
    await wait(600);

    expect(await register(token)).toEqual([503, 'email_unavailable']);
    expect(provider.requests).toEqual([]);
    expect(await saved()).toEqual(before);
    smtp.fault = null;
    await expect.poll(() => register(token), { timeout: 20_000, interval: 500 }).toEqual([201]);
  });

  test('a verified token is still valid after a later 503', async () => {
    const token = provider.token();
    await world.query(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN RAISE EXCEPTION 'the disk is full' USING ERRCODE = '53100'; END $$`);
    await world.query(`CREATE TRIGGER full_disk BEFORE INSERT ON registration
      FOR EACH STATEMENT EXECUTE FUNCTION refuse()`);
    const failed = await register(token);
    await world.query('DROP FUNCTION refuse CASCADE');

    expect(failed).toEqual([503, 'service_unavailable']);
    expect(await register(token)).toEqual([201]);
    expect(provider.requests).toHaveLength(1);
    expect(await register(token)).toEqual([422, 'captcha_failed']);
  });

  test('resending a verification e-mail accepts such a token too', async () => {
    const person = createPerson(gateway.url);
    const resend = (captcha_token: string) =>
      person.ask({
        path: '/api/auth/resend-verification',
        body: { email: newEmail(), captcha_token },
      });
    const token = provider.token();

    expect((await resend(token)).status).toBe(200);
    expect((await resend(token)).status).toBe(422);
  });
});
