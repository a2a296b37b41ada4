import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { createEngine } from '../../../src/authz/engine/client.ts';
import { useWorld } from '../../support/worlds/world.ts';
import type { World } from '../../support/worlds/world.ts';
import { ask, createKeyHolder } from '../mcp/key-holder.ts';

const CLI = fileURLToPath(new URL('../../../src/cli/main.ts', import.meta.url));

/** Runs `toolgate drift …` as an operator would, while gateways are serving. */
async function drift(world: World, ...args: string[]) {
  const env = { PATH: process.env['PATH'], ...world.env };
  return new Promise<{ code: unknown; lines: string[] }>((resolve) => {
    execFile(process.execPath, [CLI, 'drift', ...args], { env }, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, lines: `${stdout}${stderr}`.trimEnd().split('\n') }),
    );
  });
}

test('drift lists each differing tuple and exits with 1; --repair repairs them', async () => {
  const world = await useWorld();
  const ada = await createKeyHolder(world, await world.gateway());
  await ada.select(['hash']);
  const key = await ada.createKey();
  const [deployment] = await world.query<{ model_id: string; store_id: string }>(
    'SELECT model_id, store_id FROM authz_deployment',
  );
  const engine = createEngine({
    apiUrl: world.env['OPENFGA_API_URL']!,
    apiToken: world.env['OPENFGA_API_TOKEN'],
    storeId: deployment!.store_id,
    modelId: deployment!.model_id,
  });
  const accountObject = `account:${ada.account_id}`;
  const unknownId = randomUUID();
  const clean = await drift(world);
  await engine.write({
    deletes: [{ user: `api_key:${key.id}`, relation: 'declared_tools', object: accountObject }],
    writes: [
      { user: `api_key:${unknownId}`, relation: 'principal', object: accountObject },
      { user: `user:${unknownId}`, relation: 'session', object: `account:${unknownId}` },
    ],
  });

  const found = await drift(world);
  const repaired = await drift(world, '--repair');
  const after = await drift(world);

  expect(clean).toEqual({ code: 0, lines: ['No drift found.'] });
  expect(found).toEqual({
    code: 1,
    lines: [
      accountObject,
      `  extra    ${accountObject}#principal@api_key:${unknownId}`,
      `  missing  ${accountObject}#declared_tools@api_key:${key.id}`,
      `account:${unknownId}`,
      `  extra    account:${unknownId}#session@user:${unknownId}`,
      '2 scopes differ from their rows.',
    ],
  });
  expect(repaired.code).toBe(0);
  expect(repaired.lines).toContain(`${accountObject} (repaired)`);
  expect(after).toEqual(clean);
  const called = await ask(ada.endpoint, { 'x-api-key': key.secret }, 'tools/list');
  expect(called.body.result.tools.map(({ name }) => name)).toContain('hash');
}, 120_000);
