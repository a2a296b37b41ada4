import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createWorld } from '../../support/world.ts';
import type { World } from '../../support/world.ts';
import { createKeyHolder } from './key-holder.ts';

let world: World;
let ada: Awaited<ReturnType<typeof createKeyHolder>>;
let secret: string;

beforeAll(async () => {
  world = await createWorld();
  ada = await createKeyHolder(world, await world.gateway());
  await ada.select(['calculator']);
  ({ secret } = await ada.createKey());
});
afterAll(() => world.close());

const manifest = createRequire(import.meta.url).resolve(
  '@modelcontextprotocol/inspector/package.json',
);
const program = join(dirname(manifest), 'clients/launcher/build/index.js');

/** The Inspector's own command line, as people run it. */
function inspect(...rest: string[]): Promise<{ code: number; output: string }> {
  const server = ['--server-url', ada.endpoint, '--transport', 'http', '--protocol-era', 'modern'];
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [program, '--cli', ...server, ...rest],
      { timeout: 25_000 },
      (error, stdout, stderr) =>
        resolve({ code: error === null ? 0 : Number(error.code), output: stdout + stderr }),
    );
  });
}
const key = () => ['--header', `X-API-Key: ${secret}`];

test('the Inspector lists and calls in the 2026 era', async () => {
  const listed = await inspect(...key(), '--method', 'tools/list');
  const called = await inspect(
    ...[...key(), '--method', 'tools/call', '--tool-name', 'calculator'],
    ...['--tool-arg', 'expression=6*7'],
  );

  expect(listed).toMatchObject({ code: 0, output: expect.stringContaining('"calculator"') });
  expect(called).toMatchObject({ code: 0, output: expect.stringContaining('42') });
});

test('the Inspector meets a tool error and an absent tool', async () => {
  const failed = await inspect(
    ...[...key(), '--method', 'tools/call', '--tool-name', 'calculator'],
    ...['--tool-arg', 'expression=1/0'],
  );
  const absent = await inspect(...key(), '--method', 'tools/call', '--tool-name', 'nothing');

  expect(failed.output).toContain('invalid_expression');
  expect(absent.code).not.toBe(0);
});

test('the Inspector without a key is told to authenticate', async () => {
  expect((await inspect('--method', 'tools/list')).code).toBe(3);
});
