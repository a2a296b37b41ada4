import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createWorld } from '../../support/worlds/world.ts';
import type { World } from '../../support/worlds/world.ts';
import { createKeyHolder } from '../mcp/key-holder.ts';

let world: World;
let holder: Awaited<ReturnType<typeof createKeyHolder>>;
beforeAll(async () => {
  world = await createWorld();
  holder = await createKeyHolder(world, await world.gateway());
  await holder.select(['hash']);
});
afterAll(() => world.close());

const CLI = fileURLToPath(new URL('../../../src/cli/main.ts', import.meta.url));

/** Runs `toolgate explain …` as an operator would. */
async function explain(...words: string[]) {
  const env = { PATH: process.env['PATH'], ...world.env };
  return new Promise<{ code: unknown; stdout: string; stderr: string }>((resolve) => {
    execFile(process.execPath, [CLI, 'explain', ...words], { env }, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, stdout, stderr }),
    );
  });
}

test('toolgate explain prints why a key may or may not call a tool', async () => {
  const name = `agent of ${holder.account_id}`;
  const { id } = await holder.createKey({ name, mcp_capabilities: ['tools'] });

  const yes = await explain(name, '--tool', 'hash');
  const no = await explain(id, '--tool', 'uuid');
  const nobody = await explain('nobody', '--tool', 'hash');

  expect(yes).toMatchObject({ code: 0, stderr: '' });
  expect(yes.stdout).toMatch(/^allow\n {2}allow {2}credential {2}usable\n/);
  expect(yes.stdout).toContain(`path: api_key:${id} declared_tools account:${holder.account_id}`);
  expect(no.code).toBe(1);
  expect(no.stdout).toMatch(/^deny\n/);
  expect(no.stdout).toMatch(/ {2}deny {3}selection {3}selected\n +selected: false\n/);
  expect(nobody).toMatchObject({
    code: 1,
    stdout: '',
    stderr: 'toolgate: no key has the name or id "nobody"\n',
  });
}, 120_000);
