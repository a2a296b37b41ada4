import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { decodeProtectedHeader } from 'jose';
import { expect, test } from 'vitest';
import { createOAuthPeer, insertClient } from '../../../support/people/oauth.ts';
import { oneAddress, signUp } from '../../../support/people/people.ts';
import { createWorld } from '../../../support/worlds/world.ts';
import { closeAfterTests } from '../../../support/worlds/close-after-tests.ts';
import type { Gateway } from '../../../support/worlds/world.ts';
import { ask } from '../../mcp/key-holder.ts';

const CLI = fileURLToPath(new URL('../../../../src/cli/main.ts', import.meta.url));

// Tokens name one issuer, whichever gateway issued them.
const world = await closeAfterTests(createWorld(oneAddress));
const gateways: Gateway[] = [await world.gateway(), await world.gateway()];
const ada = await signUp(world, gateways[0]!);
const client = await insertClient(world, { owner: { account_id: ada.account_id } });

/** Runs `toolgate oauth rotate-signing-key`; returns what it prints. */
function rotate(...options: string[]): Promise<string> {
  const command = [CLI, 'oauth', 'rotate-signing-key', ...options];
  const env = { PATH: process.env['PATH'], ...world.env };
  return new Promise((resolve, reject) => {
    execFile(process.execPath, command, { env }, (error, stdout) =>
      error === null ? resolve(stdout) : reject(error),
    );
  });
}

async function tokenFrom(gateway: Gateway): Promise<string> {
  const peer = createOAuthPeer(gateway);
  const { body } = await peer.exchange(client, await peer.authorize(client, ada));
  return body['access_token']!;
}

const kidOf = (token: string) => decodeProtectedHeader(token).kid;

async function statusOf({ url }: Gateway, token: string): Promise<number> {
  const headers = { authorization: `Bearer ${token}` };
  const { status } = await ask(`${url}/mcp`, headers, 'tools/list', {});
  return status;
}

/**
 * Waits until a gateway has read a new key, which takes up to 20 seconds. Tokens of an unknown key
 * make it read the keys sooner.
 */
async function untilPublished(gateway: Gateway, { kid, old }: { kid: string; old: string }) {
  const header = { ...decodeProtectedHeader(old), kid: 'unknown' };
  const [, ...rest] = old.split('.');
  const unknown = [Buffer.from(JSON.stringify(header)).toString('base64url'), ...rest].join('.');
  const isPublished = async () => {
    expect(await statusOf(gateway, unknown)).toBe(401);
    const response = await fetch(`${gateway.url}/oauth/jwks`);
    const { keys } = (await response.json()) as { keys: { kid: string }[] };
    return keys.some((key) => key.kid === kid);
  };
  await expect.poll(isPublished).toBe(true);
}

test('no token is refused while the signing key rotates under load, and all of a stolen key after --at-once', async () => {
  const old = await tokenFrom(gateways[0]!);
  const refused: number[] = [];
  const load = { isOver: false };
  const running = gateways.map(async (gateway) => {
    for (let token = old; !load.isOver; token = await tokenFrom(gateway))
      for (const each of gateways) {
        const status = await statusOf(each, token);
        if (status !== 200) refused.push(status);
      }
  });

  const stdout = await rotate();
  expect(stdout).toMatch(/^Key [0-9a-f-]{36} signs access tokens in a minute\./);
  const added = /[0-9a-f-]{36}/.exec(stdout)![0];
  await Promise.all(gateways.map((gateway) => untilPublished(gateway, { kid: added, old })));
  await world.query(`UPDATE oauth_signing_key SET signs_from = signs_from - interval '1 minute',
    retired_at = retired_at - interval '1 minute'`);
  const late = await world.gateway();
  const next = await tokenFrom(late);
  expect(kidOf(next)).not.toBe(kidOf(old));
  for (const gateway of [...gateways, late])
    for (const [name, token] of Object.entries({ old, next }))
      expect([gateway.url, name, await statusOf(gateway, token)]).toEqual([gateway.url, name, 200]);
  load.isOver = true;
  await Promise.all(running);
  expect(refused).toEqual([]);

  const atOnce = await rotate('--at-once');
  expect(atOnce).toMatch(/signs access tokens\. Those of other keys are refused within 20 seconds/);
  for (const gateway of gateways)
    for (const token of [old, next]) await expect.poll(() => statusOf(gateway, token)).toBe(401);
  expect(await statusOf(gateways[0]!, await tokenFrom(gateways[1]!))).toBe(200);
});
