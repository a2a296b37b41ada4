import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import {
  createPerson,
  goodPassword,
  newEmail,
  ownAddresses,
} from '../../../support/people/people.ts';
import { createQuickCaptcha } from '../../../support/people/quick-captcha.ts';
import { createWorld } from '../../../support/worlds/world.ts';
import { closeAfterTests } from '../../../support/worlds/close-after-tests.ts';
import { startFaultySmtp } from '../mail/faulty-smtp.ts';

const smtp = await closeAfterTests(startFaultySmtp());
const world = await closeAfterTests(createWorld({ ...ownAddresses, SMTP_URL: smtp.url }));
const quick = createQuickCaptcha(world.env);
const gateway = await world.gateway({ overrides: { captcha: quick.captcha } });

const RETRY = { timeout: 20_000, interval: 500 };

interface Draft {
  type: string;
  body: Record<string, unknown>;
}

interface Fault {
  status: number;
  code: string;
  commit(draft: Draft): void;
}

const tooLarge: Fault = {
  status: 413,
  code: 'body_too_large',
  commit: ({ body }) => void (body['more'] = 'x'.repeat(2_097_152)),
};
const notJson: Fault = {
  status: 415,
  code: 'unsupported_media_type',
  commit: (draft) => void (draft.type = 'text/plain'),
};
const noCaptcha: Fault = {
  status: 422,
  code: 'captcha_failed',
  commit: ({ body }) => void (body['captcha_token'] = 'x'),
};
const noMail: Fault = {
  status: 503,
  code: 'email_unavailable',
  commit: () => void (smtp.fault = { at: 'greeting', does: 421 }),
};
const invalidField = (field: string, value: unknown, code: string): Fault => ({
  status: 400,
  code,
  commit: ({ body }) => void (body[field] = value),
});

interface Form {
  path: string;
  /** Valid input, without the captcha and the link's token. */
  good(): Record<string, unknown>;
  /** Status of the response when nothing is wrong except the link's token. */
  status: number;
  /** In the order in which they are checked. */
  faults: Fault[];
}

const emailForm = (path: string): Form => ({
  path,
  good: () => ({ email: newEmail() }),
  status: 200,
  faults: [
    tooLarge,
    notJson,
    invalidField('other', '\u0000', 'invalid_body'),
    invalidField('email', 'nobody', 'invalid_email'),
    noCaptcha,
    noMail,
  ],
});

const linkForm = (path: string): Form => ({
  path,
  good: () => ({ password: goodPassword }),
  status: 422,
  faults: [tooLarge, notJson, invalidField('token', 5, 'invalid_body')],
});

const confirm = '/api/auth/password/reset/confirm';
const forms: Form[] = [
  {
    path: '/api/auth/register',
    good: () => ({ email: newEmail(), password: goodPassword, locale: 'en' }),
    status: 201,
    faults: [
      tooLarge,
      notJson,
      invalidField('locale', 5, 'invalid_body'),
      invalidField('email', 'nobody', 'invalid_email'),
      noCaptcha,
      noMail,
    ],
  },
  emailForm('/api/auth/resend-verification'),
  emailForm('/api/auth/password/reset'),
  linkForm('/api/auth/verify-email'),
  linkForm('/api/user/email/confirm'),
  linkForm('/api/user/email/undo'),
  {
    ...linkForm(confirm),
    faults: [...linkForm(confirm).faults, invalidField('password', 'short', 'weak_password')],
  },
];

const saved = async () => {
  const [row] = await world.query<Record<string, string>>(
    `SELECT (SELECT count(*) FROM registration) AS registrations,
      (SELECT count(*) FROM mail_job) AS jobs, (SELECT count(*) FROM used_once) AS spent,
      (SELECT count(*) FROM account) AS accounts, (SELECT count(*) FROM audit_event) AS audit`,
  );
  return row;
};

describe.each(forms)('$path checks in a fixed order (decisions 2)', ({ path, good, ...form }) => {
  /** Sends the form with these faults; returns the response's status and code. */
  async function send(faults: readonly Fault[]) {
    smtp.fault = null;
    const captcha_token = await quick.token();
    const draft: Draft = {
      type: 'application/json',
      body: { ...good(), captcha_token, token: 'A'.repeat(43) },
    };
    for (const fault of faults) fault.commit(draft);
    // Longer than the mail check is cached.
    if (faults.includes(noMail)) await wait(600);
    const headers = {
      'content-type': draft.type,
      'x-forwarded-for': createPerson(gateway.url).address,
    };
    const body = JSON.stringify(draft.body);
    const answer = await fetch(`${gateway.url}${path}`, { method: 'POST', headers, body });
    const { errors } = (await answer.json()) as { errors?: { code: string }[] };
    return { status: answer.status, code: errors?.[0]!.code };
  }

  test.each(form.faults.map(({ status, code }, index) => ({ status, code, index })))(
    '$status $code, regardless of faults that are checked later',
    async ({ status, code, index }) => {
      const before = await saved();

      expect(await send(form.faults.slice(index))).toEqual({ status, code });
      expect(await send(form.faults.slice(index, index + 2))).toEqual({ status, code });
      expect(await send([form.faults[index]!])).toEqual({ status, code });
      expect(await saved()).toEqual(before);
    },
  );

  test('succeeds without a fault', async () => {
    // A worker that found mail unavailable closes the forms for a moment.
    await expect.poll(async () => (await send([])).status, RETRY).toBe(form.status);
  });
});
