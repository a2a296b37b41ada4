import { setTimeout as wait } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { createAuthenticator } from '../../support/people/authenticator.ts';
import type { CreationOptions, RequestOptions } from '../../support/people/authenticator.ts';
import { startCaptchaProvider } from '../../support/people/captcha-provider.ts';
import { codeOf, forgetSteps } from '../../support/people/factors.ts';
import { createOpenIdServer } from '../../support/people/openid-server.ts';
import { createPerson, newEmail, ownAddresses, tokenOf } from '../../support/people/people.ts';
import type { SendRequest } from '../../support/people/people.ts';
import { encodings, readRedis, readTables } from '../../support/worlds/stored-texts.ts';
import { sendRaw } from '../../support/servers/raw-request.ts';
import { createVisitor } from '../../support/people/visitor.ts';
import { useWorld } from '../../support/worlds/world.ts';
import { ask as askMcp } from '../mcp/key-holder.ts';
import { openSession } from '../mcp/legacy/client.ts';
import { startChildGateway } from './child-gateway.ts';

interface Secret {
  value: string;
  /** How many responses, and how many e-mails, contain the value. */
  answers: number;
  emails: number;
}

const passwords = ['lantern orbit velvet 42', 'quartz meadow tunnel 19', 'copper willow sketch 88'];

test('each account secret appears only in the one response or e-mail that delivers it (rel:P15, rel:B1-9)', async () => {
  const provider = await createOpenIdServer();
  onTestFinished(provider.close);
  const world = await useWorld({ ...ownAddresses, ...provider.env });
  const gateway = await startChildGateway(world, { LOG_LEVEL: 'trace' });
  onTestFinished(gateway.stop);
  const guard = await startCaptchaProvider();
  onTestFinished(guard.close);
  const hosted = await startChildGateway(world, { ...guard.env('turnstile'), LOG_LEVEL: 'trace' });
  onTestFinished(hosted.stop);
  const person = createPerson(gateway.url);
  const answers: string[] = [];
  const secrets = new Map<string, Secret>();
  const track = (name: string, value: string, where: 'answer' | 'e-mail' | 'nowhere') => {
    expect(value.length, name).toBeGreaterThan(5);
    secrets.set(name, {
      value,
      answers: where === 'answer' ? 1 : 0,
      emails: where === 'e-mail' ? 1 : 0,
    });
    return value;
  };

  /** Sends a request and records the response's body, headers and cookies. */
  async function ask<Body = Record<string, string>>(request: SendRequest, headers = {}) {
    const answer = await person.ask<Body>({ ...request, headers });
    answers.push(JSON.stringify([answer.body, [...answer.headers]]));
    expect(answer.status, `${request.path} ${JSON.stringify(answer.body)}`).toBeLessThan(400);
    return answer;
  }
  const captcha = async (name: string) =>
    track(`captcha ${name}`, await person.captcha(), 'nowhere');
  async function link(name: string, to: string, subject: RegExp): Promise<string> {
    for (;;) {
      const message = await world.mailbox.next(to);
      if (subject.test(message.subject)) return track(`link ${name}`, tokenOf(message), 'e-mail');
    }
  }
  async function signIn(name: string, email: string, password: string) {
    const { body, cookies } = await ask({ path: '/api/auth/login', body: { email, password } });
    track(`access ${name}`, body.access_token!, 'answer');
    track(`refresh ${name}`, cookies.get('refresh')!.split('.')[2]!, 'answer');
    return { bearer: { authorization: `Bearer ${body.access_token}` }, cookies };
  }

  const [first, second, third] = passwords as [string, string, string];
  for (const [n, password] of passwords.entries()) track(`password ${n}`, password, 'nowhere');
  track('root', world.env['SECRETS_KEY']!, 'nowhere');
  track('provider', provider.env['OIDC_CLIENT_SECRET']!, 'nowhere');

  // Registration, sign-in and refresh.
  const email = newEmail();
  const form = { email, password: first, locale: 'en', first_name: 'Ada', last_name: 'Lovelace' };
  await ask({ path: '/api/auth/register', body: { ...form, captcha_token: await captcha('one') } });
  const again = { email, captcha_token: await captcha('two') };
  await ask({ path: '/api/auth/resend-verification', body: again });
  const verify = await link('verify', email, /^Confirm your e-mail/);
  await link('verify again', email, /^Confirm your e-mail/);
  await ask({ path: '/api/auth/verify-email', body: { token: verify } });
  const { cookies } = await signIn('one', email, first);
  const cookie = `refresh=${cookies.get('refresh')}`;
  // An access token issued in the same second would be identical.
  await wait(1_100);
  const renewed = await ask({ method: 'POST', path: '/api/auth/refresh' }, { cookie });
  track('renewed access', renewed.body['access_token']!, 'answer');
  track('renewed', renewed.cookies.get('refresh')!.split('.')[2]!, 'answer');

  // Passwords and addresses.
  const forgotten = { email, captcha_token: await captcha('three') };
  await ask({ path: '/api/auth/password/reset', body: forgotten });
  const reset = await link('reset', email, /^Reset your password/);
  const fresh = { token: reset, password: second };
  await ask({ path: '/api/auth/password/reset/confirm', body: fresh });
  const { bearer } = await signIn('two', email, second);
  const change = { current_password: second, password: third };
  await ask({ path: '/api/user/password', body: change }, bearer);
  const moved = newEmail('moved');
  const request = { email: moved, current_password: third };
  await ask({ path: '/api/user/email', body: request }, bearer);
  const confirm = await link('confirm', moved, /^Confirm your new/);
  await ask({ path: '/api/user/email/confirm', body: { token: confirm } });
  await link('undo', email, /^Your e-mail address was changed/);

  // A key, in use.
  const created = await ask<{ secret: string }>(
    { path: '/api/keys', body: { name: 'canary', mcp_capabilities: ['tools'] } },
    bearer,
  );
  const secret = track('key', created.body.secret, 'answer');
  const session = await openSession(`${gateway.url}/mcp`, secret);

  // A second factor, and sign-ins that require it.
  const started = await ask<{ secret: string }>(
    { path: '/api/user/totp', body: { current_password: third } },
    bearer,
  );
  const seed = track('seed', started.body.secret, 'answer');
  const confirmed = await ask<{ recovery_codes: string[] }>(
    { path: '/api/user/totp/confirm', body: { code: codeOf(seed) } },
    bearer,
  );
  const codes = confirmed.body.recovery_codes;
  for (const [n, code] of codes.entries()) track(`recovery code ${n}`, code, 'answer');
  for (const code of [codes[0]!, null]) {
    const pending = await ask<{ second_factor: { token: string } }>({
      path: '/api/auth/login',
      body: { email: moved, password: third },
    });
    const name = code === null ? 'app' : 'recovery';
    const token = track(`challenge ${name}`, pending.body.second_factor.token, 'answer');
    const rows = await world.query<{ id: string }>('SELECT id FROM account');
    for (const { id } of rows) await forgetSteps(world, id);
    const proof = { token, code: code ?? codeOf(seed) };
    const inside = await ask({ path: '/api/auth/login/second-factor', body: proof });
    track(`access ${name}`, inside.body.access_token!, 'answer');
  }

  // A passkey, added and used.
  const phone = createAuthenticator(gateway.url.replace('127.0.0.1', 'localhost'));
  const enrollment = await ask<{ options: CreationOptions }>(
    { path: '/api/user/passkeys/options', body: { current_password: third } },
    bearer,
  );
  track('challenge of a set-up', enrollment.body.options.challenge, 'answer');
  const response = phone.create(enrollment.body.options);
  await ask({ path: '/api/user/passkeys', body: { name: 'Phone', response } }, bearer);
  const signing = await ask<{ token: string; options: RequestOptions }>({
    method: 'POST',
    path: '/api/auth/passkey/options',
  });
  const flow = track('flow of a passkey', signing.body.token, 'answer');
  track('challenge of a passkey', signing.body.options.challenge, 'answer');
  const proof = { token: flow, response: phone.get(signing.body.options) };
  const signedIn = await ask({ path: '/api/auth/passkey', body: proof });
  track('access by passkey', signedIn.body['access_token']!, 'answer');

  // A hosted captcha, at its own gateway: one token that passes, two that fail.
  track('captcha secret', guard.env('turnstile')['CAPTCHA_SECRET']!, 'nowhere');
  for (const fault of ['well', 'overloaded', 'wrong_secret'] as const) {
    guard.fault = fault;
    const captcha_token = track(`hosted captcha ${fault}`, guard.token(), 'nowhere');
    const { status } = await createPerson(hosted.url).register({
      email: newEmail(),
      captcha_token,
    });
    expect(status).toBe(fault === 'well' ? 201 : 503);
  }

  // A sign-in with a provider.
  provider.person = { sub: 'canary', email: newEmail('else'), email_verified: true };
  const visitor = createVisitor(gateway.url);
  const redirect = await visitor.go('/api/auth/oauth/oidc');
  answers.push(JSON.stringify(redirect));
  track('flow', visitor.jar.get('flow')!.value, 'answer');
  track('state', new URL(redirect.location).searchParams.get('state')!, 'answer');
  const back = (await fetch(redirect.location, { redirect: 'manual' })).headers.get('location')!;
  track('provider’s code', new URL(back).searchParams.get('code')!, 'nowhere');
  answers.push(JSON.stringify(await visitor.go(back)));
  track('access elsewhere', visitor.jar.get('session')!.value, 'answer');

  // Requests with secrets in the wrong places, and failing requests that contain one.
  const get = (path: string, line: string) =>
    sendRaw(gateway.url, `GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${line}\r\n\r\n`);
  const sentValues = [...secrets.values()].map(({ value }) => value);
  for (const value of sentValues.slice(0, 24)) {
    const text = encodeURIComponent(value);
    await get(`/api/keys?api_key=${text}&token=${text}`, `X-API-Key: ${secret}`);
    await get(`/api/${text}`, `Authorization: Bearer ${text}`);
    for (const path of ['/api/auth/verify-email', '/api/user/email/undo'])
      await person.ask({ path, body: { token: `${value}x` } });
  }
  await get(`/${'x'.repeat(20_000)}`, `X-API-Key: ${secret}`);
  await get('/api/keys', `X-API-Key: ${secret}\0`);
  await person.ask({ path: '/api/auth/login', body: { email, password: secret } });
  const key = { 'x-api-key': secret };
  await askMcp(`${gateway.url}/mcp`, key, 'tools/call', { name: secret, arguments: {} });
  // Database errors include the statement and its values, and are logged in full.
  for (const table of ['audit_event', 'account', 'account_session', 'api_key']) {
    await world.query(`ALTER TABLE ${table} RENAME TO lost`);
    for (const what of [
      { path: '/api/auth/login', body: { email: moved, password: third } },
      { path: '/api/auth/verify-email', body: { token: verify } },
      { path: '/api/keys', body: { name: secret, mcp_capabilities: [] } },
      { path: '/api/user/password', body: { current_password: third, password: first } },
      { path: '/api/user/recovery-codes', body: { current_password: third } },
    ])
      await person.ask({ ...what, headers: bearer });
    await askMcp(`${gateway.url}/mcp`, key, 'tools/list');
    await world.query(`ALTER TABLE lost RENAME TO ${table}`);
  }
  await wait(1_500);

  const places = new Map([...(await readTables(world)), ...(await readRedis(world))]);
  expect(places.get('table account')).toContain(moved);
  places.set('the log', gateway.output() + hosted.output());
  expect(gateway.output()).toContain('"level":');
  // The session id is not a credential; Redis uses it as a key, but no log or table may contain it.
  const placesOfSession = [...places]
    .filter(([, text]) => text.includes(session))
    .map(([place]) => place);
  expect(placesOfSession.filter((place) => !place.startsWith('redis '))).toEqual([]);
  const holders = (texts: Iterable<string>, value: string) =>
    [...texts].filter((text) => encodings(value).some((encoded) => text.includes(encoded))).length;
  const emails = world.mailbox.emails.map(({ text, html }) => text + html);
  const found = [...secrets].map(([name, { value }]) => ({
    name,
    answers: holders(answers, value),
    emails: holders(emails, value),
    elsewhere: [...places].filter(([, text]) => holders([text], value) > 0).map(([place]) => place),
  }));
  expect(found).toEqual(
    [...secrets].map(([name, { answers: times, emails: sent }]) => ({
      name,
      answers: times,
      emails: sent,
      elsewhere: [],
    })),
  );
}, 120_000);
