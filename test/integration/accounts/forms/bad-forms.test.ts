import { describe, expect, test } from 'vitest';
import {
  createPerson,
  goodPassword,
  newEmail,
  ownAddresses,
} from '../../../support/people/people.ts';
import type { Answer } from '../../../support/people/people.ts';
import { createQuickCaptcha } from '../../../support/people/quick-captcha.ts';
import { createWorld } from '../../../support/worlds/world.ts';
import { closeAfterTests } from '../../../support/worlds/close-after-tests.ts';

const world = await closeAfterTests(createWorld(ownAddresses));
const quick = createQuickCaptcha(world.env);
const gateway = await world.gateway({ overrides: { captcha: quick.captcha } });

interface Errors {
  errors: { code: string; message: string; detail: unknown }[];
}

const saved = async () => {
  const [row] = await world.query<Record<string, string>>(
    `SELECT (SELECT count(*) FROM registration) AS registrations,
      (SELECT count(*) FROM mail_job) AS jobs, (SELECT count(*) FROM used_once) AS spent,
      (SELECT count(*) FROM account) AS accounts, (SELECT count(*) FROM audit_event) AS audit`,
  );
  return row;
};

const register = '/api/auth/register';
const resend = '/api/auth/resend-verification';
const reset = '/api/auth/password/reset';
const links = ['/api/auth/verify-email', '/api/user/email/confirm', '/api/user/email/undo'];

/** Creates valid input for each form. */
const validInput: Record<string, () => Promise<object>> = {
  [register]: async () => ({
    email: newEmail(),
    password: goodPassword,
    first_name: 'Ada',
    last_name: 'Lovelace',
    locale: 'en',
    captcha_token: await quick.token(),
  }),
  [resend]: async () => ({ email: newEmail(), captcha_token: await quick.token() }),
  [reset]: async () => ({ email: newEmail(), captcha_token: await quick.token() }),
  ...Object.fromEntries(links.map((path) => [path, async () => ({ token: 'A'.repeat(43) })])),
};

const send = async (path: string, change: object): Promise<Answer<Errors>> =>
  createPerson(gateway.url).ask({ path, body: { ...(await validInput[path]!()), ...change } });

/** Expects a plain error envelope without internals, and that nothing was saved. */
async function expectRefusal(path: string, change: object, [status, code]: [number, string]) {
  const before = await saved();

  const answer = await send(path, change);

  const { errors, ...rest } = answer.body;
  expect([answer.status, errors[0]?.code, rest]).toEqual([status, code, {}]);
  for (const error of errors) expect(Object.keys(error)).toEqual(['code', 'message', 'detail']);
  expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
  expect(answer.headers.get('cache-control')).toBe('no-store');
  const text = JSON.stringify(answer.body);
  expect(text).not.toMatch(/\bat .*\.ts|SELECT|stack|node_modules/);
  for (const value of Object.values(change))
    if (typeof value === 'string' && value.length > 8) expect(text).not.toContain(value);
  expect(await saved()).toEqual(before);
}

const codes = [undefined, null, 5, true, ['en'], { code: 'en' }].map((locale) => ({ locale }));
const strings = [undefined, null, 5, true, ['x'], { x: 1 }];

describe('registration', () => {
  test.each(codes)('with %j is rejected with 400 (rel:B4-1)', (change) =>
    expectRefusal(register, change, [400, 'invalid_body']),
  );

  test.each([
    ...['', 'e', 'eng', 'fil-PH', 'e1', '1e', 'en_US', 'zh-Hant', 'en-', '-en', 'en-USA', ' en'],
    ...['en ', 'en-US-x', 'de-1996', 'ёя', 'e\u0301n', 'x'.repeat(10_000)],
  ])('with the locale %.20j is rejected with 400 (rel:B4-1)', (locale) =>
    expectRefusal(register, { locale }, [400, 'invalid_locale']),
  );

  test.each([
    ['de-CH', 'de'],
    ['zh-Hant-TW', 'zh'],
    ['es-419', 'es'],
    ['EN', 'en'],
    ['pT-bR', 'pt'],
    ['sk', 'sk'],
    ['xx', 'en'],
    ['iw', 'en'],
    ['xx-YY', 'en'],
  ])('in %s is stored as %s (rel:B4-2)', async (locale, stored) => {
    const email = newEmail();

    expect((await send(register, { email, locale })).status).toBe(201);
    const rows = await world.query('SELECT locale FROM registration WHERE email = $1', [email]);
    expect(rows).toEqual([{ locale: stored }]);
  });

  test.each(strings)('with the password %j is rejected with 400 (rel:B4-6)', (password) =>
    expectRefusal(register, { password }, [400, 'invalid_body']),
  );

  test.each([
    '',
    'short',
    'q7 Lz!2vRw0',
    'password12345',
    'aaaaaaaaaaaaaaaa',
    'lantern orbit velvet '.repeat(7),
    '🐘'.repeat(129),
    'x'.repeat(1_000_000),
  ])('with the password %.20j is rejected with 400 (rel:B4-6)', (password) =>
    expectRefusal(register, { password }, [400, 'weak_password']),
  );

  test('with a password made of the address and the names is rejected with 400 (rel:B4-6)', async () => {
    const own = { email: 'marguerite.zwolinska@example.com', first_name: 'Marguerite' };

    await expectRefusal(register, { ...own, password: 'marguerite.zwolinska' }, [
      400,
      'weak_password',
    ]);
  });

  test.each(['q7 Lz!2vRw0x', 'lantern orbit velvet 42 '.repeat(5), '🐘🦉🪁🧭🎻🪐🌋🦔🧶🪵🫖🪷'])(
    'with the password %.20j is accepted (rel:B4-6)',
    async (password) => {
      expect((await send(register, { password })).status).toBe(201);
    },
  );

  test.each([5, null, ['Ada'], { name: 'Ada' }])(
    'with the name %j is rejected with 400',
    async (name) => {
      await expectRefusal(register, { first_name: name }, [400, 'invalid_body']);
      await expectRefusal(register, { last_name: name }, [400, 'invalid_body']);
    },
  );

  test.each(['A\u0007da', 'A\u202eda', 'A\u200bda', 'A\nda', 'x'.repeat(101)])(
    'with the name %.20j is rejected with 400 (rel:B2-9)',
    async (name) => {
      await expectRefusal(register, { first_name: name }, [400, 'invalid_name']);
      await expectRefusal(register, { last_name: name }, [400, 'invalid_name']);
    },
  );

  test('ignores unknown fields such as an id, a role or a plan (rel:B2-30)', async () => {
    const email = newEmail();
    const more = { id: crypto.randomUUID(), role: 'owner', plan: 'enterprise', verified: true };

    expect((await send(register, { email, ...more })).status).toBe(201);
    const [row] = await world.query<{ id: string }>(
      'SELECT id FROM registration WHERE email = $1',
      [email],
    );
    expect(row!.id).not.toBe(more.id);
    expect(await world.query('SELECT FROM account WHERE email = $1', [email])).toEqual([]);
  });
});

describe.each([register, resend, reset])('a request to %s', (path) => {
  test.each(strings)('with the e-mail %j is rejected with 400 (rel:B4-5)', (email) =>
    expectRefusal(path, { email }, [400, 'invalid_body']),
  );

  test.each([
    ...['', 'ada', '@example.com', 'ada@', 'ada@example', 'ada@@example.com', ' a@example.com'],
    ...['ada@example.com\r\nBcc: eve@example.com', 'ada@example.com\n', 'a\r\n@example.com'],
    ...['a@example.com,b@example.com', 'Ada <ada@example.com>', '"ada"@example.com'],
    ...['ada@[127.0.0.1]', 'ada@127.0.0.1', `${'a'.repeat(65)}@example.com`],
  ])('with the e-mail %j is rejected with 400 (rel:B4-5)', (email) =>
    expectRefusal(path, { email }, [400, 'invalid_email']),
  );

  test('with an e-mail over 254 characters is rejected with 400 (rel:B4-5)', () =>
    expectRefusal(path, { email: `${'a'.repeat(64)}@${'b.'.repeat(92)}example` }, [
      400,
      'invalid_body',
    ]));

  test.each([null, 5, true, [], {}, 'x'.repeat(8_193)])(
    'with the captcha %.20j is rejected with 400 (rel:B4-4)',
    (captcha_token) => expectRefusal(path, { captcha_token }, [400, 'invalid_body']),
  );

  test.each([undefined, '', 'garbage', 'Z2FyYmFnZQ==', 'e30=', 'x'.repeat(8_192)])(
    'with the captcha %.20j is rejected with 422 (rel:B4-4)',
    (captcha_token) => expectRefusal(path, { captcha_token }, [422, 'captcha_failed']),
  );

  test('with a captcha already used in another form is rejected with 422 (rel:B4-4)', async () => {
    const captcha_token = await quick.token();
    const others = [register, resend, reset];
    for (const other of others) await send(other, { captcha_token });

    await expectRefusal(path, { captcha_token }, [422, 'captcha_failed']);
  });

  test('treats addresses as case-insensitive (rel:B4-5)', async () => {
    const email = newEmail();

    const answer = await send(path, { email: email.toUpperCase() });

    expect(answer.status).toBe(path === register ? 201 : 200);
    const jobs = await world.query('SELECT address FROM mail_job WHERE address = $1', [email]);
    expect(jobs).toHaveLength(1);
  });

  test('with a malformed body is rejected with 400', async () => {
    for (const body of [null, [], 5, 'x', {}]) {
      const answer = await createPerson(gateway.url).ask<Errors>({ path, body });
      expect([answer.status, answer.body.errors[0]!.code]).toEqual([400, 'invalid_body']);
    }
  });
});

describe.each(links)('%s', (path) => {
  test.each(strings)('with the token %j is rejected with 400', (token) =>
    expectRefusal(path, { token }, [400, 'invalid_body']),
  );

  test.each(['', 'x', ' ', 'A'.repeat(42), 'A'.repeat(43), 'A'.repeat(200), "' OR true --"])(
    'with the token %.20j is rejected with 422 (rel:B4-14)',
    (token) => expectRefusal(path, { token }, [422, 'token_invalid']),
  );

  test('with a token of 10 KB is rejected with 400', () =>
    expectRefusal(path, { token: 'A'.repeat(10_000) }, [400, 'invalid_body']));
});

test.each([register, resend, reset])('%s still works after all these refusals', async (path) => {
  expect((await send(path, {})).status).toBe(path === register ? 201 : 200);
});
