import { setImmediate } from 'node:timers/promises';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createPreviewGate } from '../../../src/limits/preview-gate.ts';
import { useAuthors } from '../content/author.ts';

const PLANS_FILE = join(mkdtempSync(join(tmpdir(), 'plans-')), 'plans.json');
writeFileSync(PLANS_FILE, JSON.stringify({ addresses: { preview: { minute: 2 } } }));
const { ada, bob } = await useAuthors({ PLANS_FILE });

test('previews of changes share a limit for each account', async () => {
  const { id } = await ada.createKey({ mcp_capabilities: [] });
  const settings = { tools: [], platform_prompts: [] };

  const edited = await ada.rest(`/api/keys/${id}/preview`, {});
  const replaced = await ada.rest('/api/me/mcp-settings/preview', settings);
  const third = await ada.rest(`/api/keys/${id}/preview`, {});

  expect([edited.status, replaced.status, third.status]).toEqual([200, 200, 429]);
  expect(third.body.errors[0]!.code).toBe('rate_limited');
  expect(Number(third.headers.get('retry-after'))).toBeGreaterThan(0);
  // Neither other accounts nor what shows the present are limited.
  expect((await bob.rest('/api/me/mcp-settings/preview', settings)).status).toBe(200);
  expect((await ada.rest(`/api/keys/${id}/preview`)).status).toBe(200);
});

test('an account runs one preview at a time, and a few wait', async () => {
  const admit = createPreviewGate({ take: async () => {} });
  const { promise, resolve } = Promise.withResolvers<void>();
  let running = 0;
  let most = 0;
  const run = (account: string) =>
    admit(account, async () => {
      running += 1;
      most = Math.max(most, running);
      await promise;
      running -= 1;
    });

  const own = Array.from({ length: 12 }, () => run('ada').catch((error: Error) => error));
  const refused = await Promise.race(own);
  await setImmediate();
  expect([most, refused]).toEqual([1, expect.objectContaining({ code: 'rate_limited' })]);
  const others = [run('bob'), run('eve')];
  await setImmediate();
  expect(most).toBe(3);
  resolve();
  const results = await Promise.all([...own, ...others]);
  expect(results.filter((result) => result instanceof Error)).toHaveLength(1);
  expect(most).toBe(3);
});
