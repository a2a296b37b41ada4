import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createPerson, newEmail, ownAddresses } from '../../support/people/people.ts';
import { createWorld } from '../../support/worlds/world.ts';
import { closeAfterTests } from '../../support/worlds/close-after-tests.ts';
import type { Gateway } from '../../support/worlds/world.ts';
import * as model from './account-model.ts';
import type { AccountModel, Link } from './account-model.ts';
import {
  addressOf,
  bearer,
  hasAccount,
  hasLink,
  hasSession,
  linksOf,
  newTokens,
  password,
  passwords,
  pick,
  elementAt,
  step,
} from './account-steps.ts';
import type { Real, Step } from './account-steps.ts';
import { checkProperty, scaledTimeout } from './trials.ts';

const world = await closeAfterTests(
  createWorld({ PUBLIC_URL: 'http://localhost:7070', ...ownAddresses }),
);
const gateways: Gateway[] = [await world.gateway(), await world.gateway()];

let turn = 0;
const newPerson = () => createPerson(gateways[(turn += 1) % gateways.length]!.url);
type Body = { access_token: string; errors: { message: string }[] };
const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  newPerson().ask<Body>({ method: 'POST', path, body, headers });
const withCaptcha = async (path: string, email: string) =>
  post(path, { email, captcha_token: await newPerson().captcha() });

/** Expects exactly one e-mail, with this link, or no e-mail if `link` is null. */
async function expectEmail(
  state: AccountModel,
  real: Real,
  link: Omit<Link, 'token' | 'state'> | null,
) {
  const received = await newTokens(world, real);
  expect(received.map(({ to }) => to)).toEqual(link === null ? [] : [link.address]);
  if (link !== null) state.links.push({ ...link, token: received[0]!.token, state: 'live' });
}

const registerWith = (chosen: string): Step =>
  step(`register ${chosen}`, async (state, real) => {
    const registration = model.register(state, chosen);
    const answer = await newPerson().register({ email: state.base, password: chosen });
    expect(answer.status).toBe(201);
    const link = { kind: 'verify' as const, address: state.base, registration };
    await expectEmail(state, real, registration && link);
  });

const resend = step('resend', async (state, real) => {
  const registration = model.resend(state);
  const { status } = await withCaptcha('/api/auth/resend-verification', state.base);
  expect(status).toBe(200);
  const link = registration === undefined ? null : { registration };
  const linkFields = { kind: 'verify' as const, address: state.base };
  await expectEmail(state, real, link && { ...linkFields, ...link });
});

const verifyLink = (index: number): Step =>
  step(
    `verify ${index}`,
    async (state) => {
      const link = elementAt(linksOf(state, 'verify'), index);
      const status = model.verify(state, link);
      expect((await post('/api/auth/verify-email', { token: link.token })).status).toBe(status);
    },
    hasLink('verify'),
  );

const signInWith = (typed: string, isBase = false): Step =>
  step(`sign in ${typed} ${isBase}`, async (state) => {
    const email = addressOf(state, isBase);
    const outcome = model.signIn(state, email, typed);
    const { status, body, cookies } = await post('/api/auth/login', { email, password: typed });
    expect(status).toBe(outcome === 'in' ? 200 : 401);
    if (status === 401)
      expect(body.errors[0]!.message.includes('not verified')).toBe(outcome === 'unverified');
    else
      state.sessions.push({
        access: body.access_token,
        refresh: cookies.get('refresh')!,
        isLive: true,
      });
  });

const steps: fc.Arbitrary<Step>[] = [
  password.map(registerWith),
  fc.constant(resend),
  pick.map(verifyLink),
  fc.tuple(password, fc.boolean()).map(([typed, isBase]) => signInWith(typed, isBase)),
  pick.map((index) =>
    step(
      `use ${index}`,
      async (state) => {
        const session = elementAt(state.sessions, index);
        const { status } = await newPerson().ask({
          path: '/api/user/profile',
          headers: bearer(session),
        });
        expect(status).toBe(model.isAccepted(state, session) ? 200 : 401);
      },
      hasSession,
    ),
  ),
  pick.map((index) =>
    step(
      `refresh ${index}`,
      async (state) => {
        const session = elementAt(state.sessions, index);
        const headers = { cookie: `refresh=${session.refresh}` };
        const { status, body, cookies } = await post('/api/auth/refresh', {}, headers);
        expect(status).toBe(model.isAccepted(state, session) ? 200 : 401);
        if (status !== 200) return;
        Object.assign(session, { access: body.access_token, refresh: cookies.get('refresh')! });
      },
      hasSession,
    ),
  ),
  pick.map((index) =>
    step(
      `sign out ${index}`,
      async (state) => {
        const session = elementAt(state.sessions, index);
        const expected = model.isAccepted(state, session) ? 204 : 401;
        expect((await post('/api/auth/logout', {}, bearer(session))).status).toBe(expected);
        session.isLive = false;
      },
      hasSession,
    ),
  ),
  fc.boolean().map((isBase) =>
    step(`request a reset ${isBase}`, async (state, real) => {
      const address = addressOf(state, isBase);
      const isEmailSent = model.requestReset(state, address);
      expect((await withCaptcha('/api/auth/password/reset', address)).status).toBe(200);
      const link = { kind: 'reset' as const, address, registration: null };
      await expectEmail(state, real, isEmailSent ? link : null);
    }),
  ),
  fc.tuple(pick, password).map(([index, chosen]) =>
    step(
      `reset ${index} ${chosen}`,
      async (state, real) => {
        const link = elementAt(linksOf(state, 'reset'), index);
        const status = model.reset(state, link, chosen);
        const body = { token: link.token, password: chosen };
        expect((await post('/api/auth/password/reset/confirm', body)).status).toBe(status);
        await expectEmail(state, real, null);
      },
      hasLink('reset'),
    ),
  ),
  fc.tuple(pick, password, password).map(([index, current, next]) =>
    step(
      `change ${current} to ${next} ${index}`,
      async (state, real) => {
        const session = elementAt(state.sessions, index);
        const status = model.changePassword(state, session, { current, next });
        const body = { current_password: current, password: next };
        expect((await post('/api/user/password', body, bearer(session))).status).toBe(status);
        await expectEmail(state, real, null);
      },
      hasSession,
    ),
  ),
  fc.tuple(pick, password).map(([index, current]) =>
    step(
      `request an address change ${current} ${index}`,
      async (state, real) => {
        const requestedBy = elementAt(state.sessions, index);
        const { status, isEmailSent } = model.requestEmailChange(state, requestedBy, current);
        const address = newEmail('moved');
        const body = { email: address, current_password: current };
        expect((await post('/api/user/email', body, bearer(requestedBy))).status).toBe(status);
        const link = { kind: 'confirm' as const, address, registration: null, requestedBy };
        await expectEmail(state, real, isEmailSent ? link : null);
      },
      hasSession,
    ),
  ),
  pick.map((index) =>
    step(
      `confirm the address ${index}`,
      async (state, real) => {
        const link = elementAt(linksOf(state, 'confirm'), index);
        const former = state.account?.address ?? state.base;
        const status = model.confirmEmail(state, link);
        expect((await post('/api/user/email/confirm', { token: link.token })).status).toBe(status);
        const undo = { kind: 'undo' as const, address: former, registration: null };
        await expectEmail(state, real, status === 200 ? undo : null);
      },
      hasLink('confirm'),
    ),
  ),
  pick.map((index) =>
    step(
      `undo the address ${index}`,
      async (state) => {
        const link = elementAt(linksOf(state, 'undo'), index);
        const status = model.undoEmail(state, link);
        expect((await post('/api/user/email/undo', { token: link.token })).status).toBe(status);
      },
      hasLink('undo'),
    ),
  ),
  fc.tuple(pick, password).map(([index, current_password]) =>
    step(
      `delete ${current_password} ${index}`,
      async (state, real) => {
        const session = elementAt(state.sessions, index);
        const confirm = state.account?.address ?? state.base;
        const { status } = await newPerson().ask<unknown>({
          method: 'DELETE',
          path: '/api/user/account',
          body: { confirm, current_password },
          headers: bearer(session),
        });
        expect(status).toBe(model.deleteAccount(state, session, current_password));
        await expectEmail(state, real, null);
      },
      hasSession,
    ),
  ),
  fc.constant(
    step(
      'deactivate or activate',
      async (state) => {
        const { address, isActive } = state.account!;
        const { service } = gateways[(turn += 1) % gateways.length]!;
        await service.activate(address, isActive ? 'deactivated' : 'active');
        if (isActive) model.deactivate(state);
        else state.account!.isActive = true;
      },
      hasAccount,
    ),
  ),
  fc.constant(
    step('five minutes pass', async (state) => {
      await world.query("UPDATE mail_cooldown SET sent_at = sent_at - interval '5 minutes'");
      state.cooldowns.clear();
    }),
  ),
  pick.map((index) =>
    step(
      `a link expires ${index}`,
      async (state) => {
        const link = elementAt(
          state.links.filter(({ kind }) => kind === 'verify' || kind === 'reset'),
          index,
        );
        const table = link.kind === 'verify' ? 'registration_link' : 'password_reset';
        await world.query(
          `UPDATE ${table} SET expires_at = now() - interval '1 second' WHERE token_hash = sha256($1)`,
          [Buffer.from(link.token)],
        );
        link.state = 'dead';
      },
      (state) => hasLink('verify')(state) || hasLink('reset')(state),
    ),
  ),
];

// Starting sequences: random steps alone would rarely reach a signed-in or contested account.
const [pw1, pw2] = passwords as [string, string];
const beginnings: Step[][] = [
  [],
  [registerWith(pw1), verifyLink(0), signInWith(pw1), signInWith(pw1)],
  [registerWith(pw1), registerWith(pw2), resend, verifyLink(2), signInWith(pw2), signInWith(pw1)],
];

test(
  'at every step an account is in the state the specification requires (P7, spec: Account)',
  async () => {
    const commands = fc.commands(steps, { maxCommands: 40, size: 'max' });
    await checkProperty(
      14,
      fc.asyncProperty(fc.constantFrom(...beginnings), commands, async (beginning, rest) => {
        const setup = () => ({
          model: model.createModel(newEmail('state')),
          real: { read: world.mailbox.emails.length },
        });
        await fc.asyncModelRun(setup, [...beginning, ...rest]);
      }),
    );
  },
  scaledTimeout(300_000),
);
