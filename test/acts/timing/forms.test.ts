import { Agent, request } from 'node:http';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { findLocaleByEmail, hasAccount } from '../../../src/accounts/store.ts';
import type { Captcha } from '../../../src/accounts/captcha/captcha.ts';
import { createDatabase } from '../../../src/platform/database.ts';
import type { Database } from '../../../src/platform/database.ts';
import { newEmail, ownAddresses, signUp } from '../../support/people.ts';
import { createQuickCaptcha } from '../../support/quick-captcha.ts';
import type { QuickCaptcha } from '../../support/quick-captcha.ts';
import { createWorld } from '../../support/world.ts';
import type { Gateway, World } from '../../support/world.ts';
import { compareTimes, isTellable } from './compare-times.ts';

// Measuring stops by itself; a busy machine makes the rest slow.
vi.setConfig({ testTimeout: 90_000 });

/** Whoever comes from here costs what a form must not do, to see that it would show. */
const PLANTED = '10.99.99.99';

let world: World;
let gateway: Gateway;
let quick: QuickCaptcha;
let database: Database;
let known: string;
beforeAll(async () => {
  world = await createWorld(ownAddresses);
  quick = createQuickCaptcha(world.env);
  database = await createDatabase({ url: world.env['DATABASE_URL']!, onIdleError: () => {} });
  const captcha: Captcha = {
    ...quick.captcha,
    async verify(token, address) {
      if (address === PLANTED) await lookUp(known);
      return quick.captcha.verify(token, address);
    },
  };
  gateway = await world.gateway({ overrides: { captcha } });
  ({ email: known } = await signUp(world, gateway));
});
afterAll(async () => {
  agent.destroy();
  await world?.close();
  await database?.close();
});

/** An account and what belongs to it, statement by statement. */
async function lookUp(email: string) {
  await hasAccount(database.pool, email);
  for (let statement = 0; statement < 4; statement += 1)
    await findLocaleByEmail(database.pool, email);
}

const agent = new Agent({ keepAlive: true, maxSockets: 1 });
let asked = 0;
const somewhere = () => `10.${(asked >> 16) & 63}.${(asked >> 8) & 255}.${asked++ & 255}`;

/** One form over one kept connection: as little of our own in the time as can be. */
function send(path: string, body: object, from = somewhere()): Promise<number> {
  const text = JSON.stringify(body);
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'x-forwarded-for': from };
    const options = { agent, method: 'POST', headers };
    const sent = request(`${gateway.url}${path}`, options, (response) => {
      response.resume();
      response.once('end', () => resolve(response.statusCode!));
    });
    sent.once('error', reject);
    sent.end(text);
  });
}

/** Forms that ask for a letter; the token of each is made off the clock. */
async function compareLetters(
  path: string,
  [first, second]: readonly [{ email: string; from?: string }, { email: string; from?: string }],
  seconds?: number,
) {
  let captcha_token = '';
  const ask = (who: { email: string; from?: string }) => async () => {
    expect(await send(path, { email: who.email, captcha_token }, who.from)).toBe(200);
  };
  return compareTimes([ask(first), ask(second)], {
    prepare: async () => void (captcha_token = await quick.token()),
    ...(seconds === undefined ? {} : { seconds }),
  });
}

const letterForms = ['/api/auth/resend-verification', '/api/auth/password/reset'];

describe.each(letterForms)('the time of %s (TM, rel:B4-10, S17)', (path) => {
  test('does not tell a known address from an unknown one', async () => {
    const difference = await compareLetters(path, [{ email: known }, { email: newEmail() }]);

    expect(difference).not.toSatisfy(isTellable);
  });

  // That it can be seen at all is to be shown once, however busy the machine is.
  test('would tell a handler that looks who it is', { retry: 2 }, async () => {
    const looking = { email: known, from: PLANTED };
    const difference = await compareLetters(path, [{ email: known }, looking], 20);

    expect(difference).toSatisfy(isTellable);
  });
});

test('the time of a sign-in does not tell a wrong password from an unknown address (TM, rel:B4-20, S17)', async () => {
  const password = 'quartz meadow tunnel 19';
  const signIn = (email: string) => async () => {
    expect(await send('/api/auth/login', { email, password })).toBe(401);
  };

  const difference = await compareTimes([signIn(known), signIn(newEmail())]);

  expect(difference).not.toSatisfy(isTellable);
});
