import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createWorld } from '../../support/world.ts';
import type { World } from '../../support/world.ts';
import { createKeyHolder } from './key-holder.ts';

let world: World;
let endpoint: string;
let secret: string;

beforeAll(async () => {
  world = await createWorld();
  const ada = await createKeyHolder(world, await world.gateway());
  await ada.select(['calculator']);
  endpoint = ada.endpoint;
  secret = (await ada.createKey()).secret;
});
afterAll(() => world.close());

const require = createRequire(import.meta.url);
const manifest = require.resolve('@modelcontextprotocol/inspector/package.json');
const { bin } = require(manifest) as { bin: Record<string, string> };
const program = join(dirname(manifest), bin['mcp-inspector']!);

/** The Inspector as people run it, on its command line. */
function inspect(era: string, ...more: string[]): Promise<{ code: number; output: string }> {
  const target = ['--cli', '--server-url', endpoint, '--transport', 'http'];
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [program, ...target, '--protocol-era', era, ...more],
      (error, output) => resolve({ code: Number(error?.code ?? 0), output }),
    );
  });
}

describe.each(['legacy', 'modern'])('the Inspector in its %s era', (era) => {
  test('lists and calls', async () => {
    const header = ['--header', `X-API-Key: ${secret}`];
    const listed = await inspect(era, ...header, '--method', 'tools/list');
    const call = ['--method', 'tools/call', '--tool-name', 'calculator'];
    const called = await inspect(era, ...header, ...call, '--tool-arg', 'expression=6*7');

    expect(listed.output).toContain('"calculator"');
    expect(called.output).toContain('42');
    expect([listed.code, called.code]).toEqual([0, 0]);
  });

  test('says that it needs a key', async () => {
    const { code } = await inspect(era, '--method', 'tools/list');

    expect(code).toBe(3);
  });
});
