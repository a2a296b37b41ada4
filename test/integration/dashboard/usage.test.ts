import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectSdkV2 } from '../../support/clients/sdk-v2.ts';
import { describeInBrowser } from '../../support/people/browser.ts';
import { expectAccessible, openAs } from '../../support/people/dashboard.ts';
import { signUp } from '../../support/people/people.ts';
import type { SignedUp } from '../../support/people/people.ts';
import { createWorld } from '../../support/worlds/world.ts';
import type { Gateway, World } from '../../support/worlds/world.ts';

let world: World;
let gateway: Gateway;
let ada: SignedUp;
let key: { id: string; secret: string };
beforeAll(async () => {
  world = await createWorld();
  gateway = await world.gateway();
  ada = await signUp(world, gateway);
  const { data } = await ask<{ data: { id: string; name: string }[] }>('/api/catalog/tools');
  await ask('/api/me/mcp-settings', 'PUT', {
    tools: data.filter(({ name }) => name === 'calculator').map(({ id }) => id),
    platform_prompts: [],
  });
  key = await ask('/api/keys', 'POST', { name: 'Counter', mcp_capabilities: ['tools'] });
  const client = await connectSdkV2('legacy', '2025-11-25')(`${gateway.url}/mcp`, key.secret);
  for (const expression of ['1 + 1', '2 + 2', '1 +'])
    await client.call('calculator', { expression }).catch(() => {});
});
afterAll(() => world?.close());

async function ask<Body>(path: string, method = 'GET', body?: unknown): Promise<Body> {
  const answer = await ada.person.ask<Body>({ path, method, body, headers: ada.bearer });
  expect(answer.status).toBeLessThan(300);
  return answer.body;
}

describeInBrowser('the page of usage', (browser) => {
  test('limits, days and items count the same calls', async () => {
    const { page, errors } = await openAs(browser(), gateway, ada);
    await page.goto('/app/usage');
    await page.getByRole('img', { name: /Calls per day: 3 in 30 days/ }).waitFor();
    await page.getByRole('region', { name: 'Limits' }).getByText(/^3 of/).first().waitFor();
    await page.getByRole('region', { name: 'Most used' }).getByText('calculator').waitFor();
    await page.getByRole('button', { name: 'Show as a table' }).click();
    expect(await page.getByRole('row').count()).toBe(31);
    expect(errors).toEqual([]);
  });

  test('calls are filtered by their outcome, and the file has the same calls', async () => {
    const { page } = await openAs(browser(), gateway, ada);
    await page.goto('/app/usage');
    const calls = page.getByRole('list', { name: 'Calls' }).getByRole('listitem');
    await calls.nth(2).waitFor();
    await page.getByRole('combobox', { name: 'Outcome' }).click();
    await page.getByRole('option', { name: 'Tool error' }).click();
    await page.waitForURL(/outcome=tool_error/);
    await expect.poll(() => calls.count()).toBe(1);

    const started = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Download as JSON Lines' }).click();
    const lines = (await readFile(await (await started).path(), 'utf8')).trim().split('\n');
    expect(lines.map((line) => JSON.parse(line).outcome)).toEqual(['tool_error']);

    await page.goto('/app/usage');
    await page.getByRole('combobox', { name: 'API key' }).click();
    await page.getByRole('option', { name: 'Counter' }).click();
    await page.waitForURL(`**/app/usage?key=${key.id}`);
    await calls.nth(2).waitFor();

    await page.goto('/app/usage?called=nothing');
    await page.getByText('No call matches these filters.').waitFor();
    await page.getByRole('button', { name: 'Clear the filter' }).click();
    await calls.nth(2).waitFor();
  });

  test('a key lists its own calls', async () => {
    const { page } = await openAs(browser(), gateway, ada);
    await page.goto(`/app/keys/${key.id}?tab=activity`);
    const calls = page.getByRole('list', { name: 'Calls' }).getByRole('listitem');
    await expect.poll(() => calls.count()).toBe(3);
  });

  test('every view is accessible, on a screen and a phone', async () => {
    await expectAccessible(browser(), gateway, ada, {
      async usage(page) {
        await page.goto('/app/usage');
        await page.getByRole('list', { name: 'Calls' }).waitFor();
        await page.getByRole('img', { name: /Calls per day/ }).waitFor();
      },
      async 'usage-table'(page) {
        await page.goto('/app/usage');
        await page.getByRole('button', { name: 'Show as a table' }).click();
        await page.getByRole('list', { name: 'Calls' }).waitFor();
      },
    });
  }, 300_000);
});
