import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { hash } from '@node-rs/argon2';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createPasswords } from '../../../../src/accounts/passwords/passwords.ts';
import { createPerson, newEmail, oneAddress, signUp } from '../../../support/people/people.ts';
import type { Person, SignedUp } from '../../../support/people/people.ts';
import { createWorld } from '../../../support/worlds/world.ts';
import type { Gateway, World } from '../../../support/worlds/world.ts';
import { createResetting, newPassword } from '../passwords/resetting.ts';

const folder = mkdtempSync(join(tmpdir(), 'toolgate-plans-'));
const PLANS_FILE = join(folder, 'plans.json');
/** Three failures per e-mail in a quarter of an hour, thirty per client address in an hour. */
const addresses = { login: { quarter_hour: 3, hour: 30 } };

const members = new Set<string>();
const passwords = createPasswords();
let world: World;
let gateway: Gateway;

beforeAll(async () => {
  writeFileSync(PLANS_FILE, JSON.stringify({ addresses }));
  world = await createWorld({ ...oneAddress, PLANS_FILE });
  const requiresSso = async (_connection: unknown, id: string) => members.has(id);
  const organizations = { requiresSso, solelyOwnedOrganizations: async () => [] };
  gateway = await world.gateway({ overrides: { organizations, passwords } });
});
afterAll(async () => {
  await world?.close();
  rmSync(folder, { recursive: true, force: true });
});

const wrong = 'copper lagoon whistle 77';
const ada = () => signUp(world, gateway);
const signIn = (email: string, password: string, person: Person = createPerson(gateway.url)) =>
  person.ask<{ errors: { code: string }[] }>({
    path: '/api/auth/login',
    body: { email, password },
  });
const hashOf = async ({ account_id }: SignedUp) => {
  const [row] = await world.query<{ password_hash: string }>(
    'SELECT password_hash FROM account WHERE id = $1',
    [account_id],
  );
  return row!.password_hash;
};

describe('limits of failed sign-ins (rel:B4-22)', () => {
  test('check only three of a thousand wrong passwords from one address, and do not lock out the owner', async () => {
    const [{ email, password }, thief] = [await ada(), createPerson(gateway.url)];
    const statuses: number[] = [];

    while (statuses.length < 1_000) {
      const tries = Array.from({ length: 50 }, () => signIn(email, wrong, thief));
      statuses.push(...(await Promise.all(tries)).map(({ status }) => status));
    }

    expect(statuses.filter((status) => status === 401)).toHaveLength(3);
    expect(statuses.filter((status) => status === 429)).toHaveLength(997);
    expect((await signIn(email, password)).status).toBe(200);
  });

  test('stop an address that tries many accounts, existing or not, without locking out the owner', async () => {
    const [owner, thief] = [await ada(), createPerson(gateway.url)];
    const emails = [owner.email, ...Array.from({ length: 59 }, () => newEmail())];
    const statuses = [];

    for (const email of emails) statuses.push((await signIn(email, wrong, thief)).status);

    expect(statuses).toEqual([...Array(30).fill(401), ...Array(30).fill(429)]);
    expect((await signIn(owner.email, owner.password)).status).toBe(200);
  });

  test('do not lock out an owner whose account is tried from many addresses', async () => {
    const owner = await ada();
    for (let crowd = 0; crowd < 15; crowd += 1) {
      const thief = createPerson(gateway.url);
      for (let tries = 0; tries < 4; tries += 1) await signIn(owner.email, wrong, thief);
    }

    expect((await signIn(owner.email, owner.password)).status).toBe(200);
    expect((await signIn(owner.email, owner.password, owner.person)).status).toBe(200);
  });
});

describe('a member whose organization requires SSO (rel:B4-21)', () => {
  const member = async () => {
    const who = await ada();
    members.add(who.account_id);
    return who;
  };

  test('gets the same response for the correct password as for a wrong one, limits included', async () => {
    const who = await member();
    const [knows, guesses] = [createPerson(gateway.url), createPerson(gateway.url)];

    for (let tries = 0; tries < 4; tries += 1) {
      const right = await signIn(who.email, who.password, knows);
      const bad = await signIn(who.email, wrong, guesses);

      expect([right.status, right.body]).toEqual([tries < 3 ? 401 : 429, bad.body]);
      expect([...right.headers.keys()]).toEqual([...bad.headers.keys()]);
    }
  });

  test('can reset the password, but not sign in with it', async () => {
    const who = await member();
    const resetting = createResetting(world, gateway.url);

    const answer = await resetting.confirm(await resetting.linkFor(who.email));

    expect(answer.status).toBe(200);
    const right = await signIn(who.email, newPassword);
    expect([right.status, right.body]).toEqual([401, (await signIn(who.email, wrong)).body]);
  });

  test('can sign in if the organization does not require it of them, such as its owner', async () => {
    const owner = await member();
    members.delete(owner.account_id);

    expect((await signIn(owner.email, owner.password)).status).toBe(200);
  });
});

describe('password hashes', () => {
  test('are renewed at the next successful sign-in if their parameters are outdated', async () => {
    const who = await ada();
    const dated = await hash(who.password, { memoryCost: 8_192, timeCost: 3, parallelism: 1 });
    await world.query('UPDATE account SET password_hash = $1 WHERE id = $2', [
      dated,
      who.account_id,
    ]);

    await signIn(who.email, wrong);
    expect(await hashOf(who)).toBe(dated);
    const first = await signIn(who.email, who.password);
    const renewed = await hashOf(who);
    const second = await signIn(who.email, who.password);

    expect([first.status, second.status]).toEqual([200, 200]);
    expect(renewed).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect(await hashOf(who)).toBe(renewed);
  });

  test('are renewed once by concurrent sign-ins, none of which is refused', async () => {
    const who = await ada();
    const dated = await hash(who.password, { memoryCost: 8_192, timeCost: 3, parallelism: 1 });
    await world.query('UPDATE account SET password_hash = $1 WHERE id = $2', [
      dated,
      who.account_id,
    ]);

    const answers = await Promise.all(
      Array.from({ length: 10 }, () => signIn(who.email, who.password)),
    );

    expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200));
  });

  test('are refused with 503 if the queue is full, and the captcha token stays valid', async () => {
    const [person, email] = [createPerson(gateway.url), newEmail()];
    const captcha_token = await person.captcha();
    const crowdOver = new AbortController();
    const crowd = Array.from({ length: 200 }, async () => {
      while (!crowdOver.signal.aborted) await passwords.hash(wrong).catch(() => setImmediate());
    });

    const refused = await person.register({ email, captcha_token });
    const signedIn = await signIn(email, wrong, person);
    crowdOver.abort();
    await Promise.all(crowd);

    for (const answer of [refused, signedIn])
      expect([answer.status, answer.body]).toMatchObject([
        503,
        { errors: [{ code: 'service_unavailable' }] },
      ]);
    const [none] = await world.query('SELECT FROM registration WHERE email = $1', [email]);
    expect(none).toBeUndefined();
    expect((await person.register({ email, captcha_token })).status).toBe(201);
  });
});
