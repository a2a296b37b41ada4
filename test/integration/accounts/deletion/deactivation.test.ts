import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import {
  createKey,
  createPerson,
  newEmail,
  oneAddress,
  signUp,
} from '../../../support/people/people.ts';
import type { SignedUp } from '../../../support/people/people.ts';
import { createWorld } from '../../../support/worlds/world.ts';
import { closeAfterTests } from '../../../support/worlds/close-after-tests.ts';
import type { Gateway } from '../../../support/worlds/world.ts';
import { createResetting } from '../passwords/resetting.ts';

const world = await closeAfterTests(createWorld(oneAddress));
const gateways: [Gateway, Gateway] = [await world.gateway(), await world.gateway()];

const CLI = fileURLToPath(new URL('../../../../src/cli/main.ts', import.meta.url));

/** Runs `toolgate account …` as an operator would. */
async function operate(...words: string[]) {
  const env = { PATH: process.env['PATH'], ...world.env };
  return new Promise<{ code: unknown; stdout: string; stderr: string }>((resolve) => {
    execFile(process.execPath, [CLI, 'account', ...words], { env }, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, stdout, stderr }),
    );
  });
}

/** Returns the status each gateway gives every credential of the account. */
async function statusesOf(who: SignedUp, secret: string) {
  const answers = [];
  for (const { url } of gateways) {
    const person = createPerson(url);
    const list = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };
    const accept = 'application/json, text/event-stream';
    const responses = [
      await person.ask({ path: '/api/user/profile', headers: who.bearer }),
      await person.ask({
        method: 'POST',
        path: '/api/auth/refresh',
        headers: { cookie: `refresh=${who.cookies.get('refresh')}` },
      }),
      await person.ask({ path: '/api/catalog/tools', headers: { 'x-api-key': secret } }),
    ];
    const mcp = await fetch(`${url}/mcp`, {
      method: 'POST',
      headers: { 'x-api-key': secret, 'content-type': 'application/json', accept },
      body: JSON.stringify({ ...list, method: 'ping' }),
    });
    await mcp.body?.cancel();
    answers.push(...responses.map(({ status }) => status), mcp.status === 401 ? 401 : 200);
  }
  return answers;
}
const keyOf = (who: SignedUp) =>
  createKey(who, { grants: [{ scope: { type: 'personal' }, permissions: ['can_view_tools'] }] });
const driftOf = async () => {
  const found = [];
  for await (const drift of gateways[0].service.drift({ repair: false })) found.push(drift);
  return found;
};

test('a deactivated account is refused everywhere at its next request; reactivated, its keys work again', async () => {
  const ada = await signUp(world, gateways[0]);
  const resetting = createResetting(world, gateways[1].url);
  const { secret } = await keyOf(ada);
  expect(await statusesOf(ada, secret)).toEqual(Array(8).fill(200));

  const off = await operate('deactivate', ada.email);

  expect(off).toMatchObject({ code: 0, stdout: `${ada.account_id} is now deactivated.\n` });
  expect(await statusesOf(ada, secret)).toEqual(Array(8).fill(401));
  const refused = await resetting.signIn(ada.email, ada.password);
  const unknown = await resetting.signIn(newEmail(), ada.password);
  expect([refused.status, refused.body]).toEqual([401, unknown.body]);
  for (const path of ['/api/auth/password/reset', '/api/auth/resend-verification'])
    expect((await resetting.ask(ada.email, path)).body).toEqual({ status: 'accepted' });
  await resetting.settled(ada.email);
  expect(resetting.emailsTo(ada.email)).toBe(1);
  expect(await driftOf()).toEqual([]);

  const on = await operate('activate', ada.account_id);

  expect(on).toMatchObject({ code: 0, stdout: `${ada.account_id} is now active.\n` });
  expect(await statusesOf(ada, secret)).toEqual([401, 401, 200, 200, 401, 401, 200, 200]);
  expect((await resetting.signIn(ada.email, ada.password)).status).toBe(200);
  expect(await driftOf()).toEqual([]);
  const trail = await world.query(
    `SELECT actor_kind, action FROM audit_event
     WHERE scope_id = $1 AND action LIKE 'account.%activate' ORDER BY id`,
    [ada.account_id],
  );
  expect(trail).toEqual([
    { actor_kind: 'system', action: 'account.deactivate' },
    { actor_kind: 'system', action: 'account.activate' },
  ]);
});

test('the command reports when nothing changes or no account matches', async () => {
  const ada = await signUp(world, gateways[0]);

  const [again, unknown] = await Promise.all([
    operate('activate', ada.email.toUpperCase()),
    operate('deactivate', 'nobody@example.com'),
  ]);

  expect(again).toMatchObject({ code: 0, stdout: `${ada.account_id} is already active.\n` });
  expect(unknown).toMatchObject({
    code: 1,
    stdout: '',
    stderr: 'toolgate: no account has the id or e-mail address "nobody@example.com"\n',
  });
  for (const who of [crypto.randomUUID(), 'x', ''])
    expect(await gateways[0].service.activate(who, 'deactivated')).toBeNull();
});

test('a sign-in in progress while the account is deactivated leaves no session', async () => {
  const ada = await signUp(world, gateways[0]);
  const resetting = createResetting(world, gateways[1].url);
  const tries = Array.from({ length: 6 }, () => resetting.signIn(ada.email, ada.password));

  const done = await gateways[0].service.activate(ada.account_id, 'deactivated');
  await Promise.all(tries);

  expect(done).toEqual({ id: ada.account_id, changed: true });
  const open = 'account_session WHERE account_id = $1 AND revoked_at IS NULL';
  expect(await resetting.count(open, [ada.account_id])).toBe(0);
});

test('only one of several concurrent deactivations changes the account', async () => {
  const ada = await signUp(world, gateways[0]);
  const tries = Array.from({ length: 6 }, (_, nth) =>
    gateways[nth % 2]!.service.activate(ada.account_id, 'deactivated'),
  );

  const done = await Promise.all(tries);

  expect(done.filter((answer) => answer?.changed)).toHaveLength(1);
  const trail = await world.query(
    `SELECT FROM audit_event WHERE scope_id = $1 AND action = 'account.deactivate'`,
    [ada.account_id],
  );
  expect(trail).toHaveLength(1);
});
