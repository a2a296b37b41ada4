import { expect, test } from 'vitest';
import type { Page } from 'playwright-core';
import { describeInBrowser } from '../../support/people/browser.ts';
import { expectAccessible, openAs } from '../../support/people/dashboard.ts';
import { createOrganization } from '../../support/people/organizations.ts';
import { signUp } from '../../support/people/people.ts';
import { useGateway } from '../../support/worlds/use-gateway.ts';

const { world, gateway } = await useGateway();
const ada = await signUp(world, gateway);
const organization = await createOrganization(ada);
const { data } = await ask<{ data: { id: string; name: string }[] }>('/api/catalog/tools');
const toolNames: string[] = data.map(({ name }) => name);
await ask('/api/me/mcp-settings', 'PUT', {
  tools: data.map(({ id }) => id),
  platform_prompts: [],
});
for (const path of ['docs/deploy', 'docs/guides/start', 'notes/private'])
  await ask('/api/me/resources', 'POST', { path, text: 'Text.' });
await ask('/api/me/agents', 'POST', {
  ...{ name: 'writer', description: 'Writes.', instructions: 'Write.' },
});

async function ask<Body>(path: string, method = 'GET', body?: unknown): Promise<Body> {
  const answer = await ada.person.ask<Body>({ path, method, body, headers: ada.bearer });
  expect(answer.status).toBeLessThan(300);
  return answer.body;
}

const createKey = (name: string, fields: object = {}) =>
  ask<{ id: string }>('/api/keys', 'POST', {
    ...{ name, mcp_capabilities: ['tools', 'resources', 'prompts', 'agents'], ...fields },
  });

interface StoredKey {
  name: string;
  grants: unknown;
  tool_policy: { mode: string; tools?: string[] };
  resource_policy: unknown;
  org_scope: string | null;
  default_agent: { name: string } | null;
  tool_listing: string;
}
const keyNamed = async (name: string) =>
  (await ask<{ data: StoredKey[] }>('/api/keys')).data.find((key) => key.name === name);

const unfold = (page: Page, title: string) =>
  page.locator('summary').filter({ hasText: title }).first().click();
const preview = (page: Page) => page.getByRole('region', { name: /^What this key/ });
const previewSays = (page: Page, text: RegExp) =>
  preview(page).getByRole('status').filter({ hasText: text }).waitFor();

describeInBrowser('the pages of keys', (browser) => {
  test('a key is limited by policies and permissions as its preview shows', async () => {
    const { page, errors } = await openAs(browser(), gateway, ada);
    await page.goto(`${gateway.config.PUBLIC_URL}/app/keys/new?preset=read_only`);
    await page.getByLabel('Name').fill('Limited');
    await previewSays(page, /3 resources, 1 agent/);

    await unfold(page, 'What it may use');
    await page.getByRole('radiogroup', { name: 'Tools' }).getByLabel('Only these').check();
    await page.getByRole('checkbox', { name: toolNames[0]!, exact: true }).check();
    await page.getByRole('radiogroup', { name: 'Resources' }).getByLabel('All except').check();
    await page.getByRole('combobox', { name: 'Path patterns' }).fill('docs/**');
    await page.keyboard.press('Enter');
    await page.getByText('2 of 3 resources match').waitFor();
    await previewSays(page, /1 resource,/);

    await unfold(page, 'Permissions');
    expect(await page.getByRole('checkbox', { name: 'View: Resources' }).isChecked()).toBe(true);
    await page.getByRole('checkbox', { name: 'Create: Prompts' }).check();
    const implied = page.getByRole('checkbox', { name: 'View: Prompts' });
    await page.getByText('“View” is implied by “Create: Prompts”.').waitFor();
    expect([await implied.isChecked(), await implied.isDisabled()]).toEqual([true, true]);

    await unfold(page, 'How tools are listed');
    await page.getByRole('radio', { name: 'By search' }).check();
    await page.getByText('search_tools').waitFor();
    await unfold(page, 'Default agent');
    await page.getByRole('combobox', { name: 'Default agent' }).click();
    await page.getByRole('option', { name: 'writer' }).click();
    await page.getByRole('button', { name: 'Create key', exact: true }).click();
    await page.getByRole('dialog').getByLabel('Secret of the key').waitFor();

    const key = await keyNamed('Limited');
    expect(key?.tool_policy).toEqual({ mode: 'whitelist', tools: [expect.any(String)] });
    expect(key?.resource_policy).toEqual({ mode: 'blacklist', patterns: ['docs/**'] });
    expect(key?.default_agent).toMatchObject({ name: 'writer' });
    expect(key?.tool_listing).toBe('search');
    expect(JSON.stringify(key?.grants)).toContain('can_create_prompts');
    expect(errors).toEqual([]);
  });

  test('a policy without an entry and a pattern that is not a glob are never sent', async () => {
    const { page, requests } = await openAs(browser(), gateway, ada);
    await page.goto(`${gateway.config.PUBLIC_URL}/app/keys/new`);
    await page.getByLabel('Name').fill('Empty policy');
    await unfold(page, 'What it may use');
    const resources = page.getByRole('radiogroup', { name: 'Resources' });
    await resources.getByLabel('Only these').check();
    await page.getByRole('combobox', { name: 'Path patterns' }).fill('docs/{a,b}');
    await page.keyboard.press('Enter');
    await page.getByText('is not a pattern').waitFor();
    await page.getByRole('button', { name: 'Create key', exact: true }).click();
    await page.getByText('Enter at least one pattern.').waitFor();
    expect(await keyNamed('Empty policy')).toBeUndefined();

    await resources.getByLabel('All', { exact: true }).check();
    await page.getByRole('button', { name: 'Create key', exact: true }).click();
    await page.getByRole('dialog').waitFor();
    expect(requests.filter(({ url }) => url.endsWith('/api/keys'))).toHaveLength(1);
  });

  test('a key in an organization has no policies of its own', async () => {
    const { page } = await openAs(browser(), gateway, ada);
    await page.goto('/app/keys/new');
    await page.getByLabel('Name').fill('Elsewhere');
    await unfold(page, 'What it may use');
    await page.getByRole('radiogroup', { name: 'Tools' }).getByLabel('Only these').check();
    await page.getByRole('combobox', { name: 'Runs in' }).click();
    await page.getByRole('option').first().click();
    await page.getByText('the policies of its teams apply').waitFor();
    await previewSays(page, /0 resources/);
    await page.getByRole('button', { name: 'Create key', exact: true }).click();
    await page.getByRole('dialog').waitFor();
    expect((await keyNamed('Elsewhere'))?.org_scope).toBe(organization.id);
  });

  test('a name that is taken is reported at the name', async () => {
    await createKey('Taken');
    const { page } = await openAs(browser(), gateway, ada);
    await page.goto(`${gateway.config.PUBLIC_URL}/app/keys/new`);
    const name = page.getByLabel('Name');
    await name.fill('Taken');
    await page.getByRole('button', { name: 'Create key', exact: true }).click();
    await page.locator('input:focus[aria-invalid=true]').waitFor();
    expect(await page.locator('input:focus').inputValue()).toBe('Taken');
  });

  test('an edit shows what the key loses before it is saved, and sends only what changed', async () => {
    const { id } = await createKey('Edited', {
      grants: [{ scope: { type: 'personal' }, permissions: ['can_view_usage'] }],
    });
    const { page } = await openAs(browser(), gateway, ada);
    await page.goto(`${gateway.config.PUBLIC_URL}/app/keys/${id}`);
    await previewSays(page, /3 resources/);
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByText('There is nothing to save').waitFor();
    await page.getByRole('checkbox', { name: 'Resources' }).uncheck();
    await page.getByText('Loses 3').waitFor();
    await page.getByRole('tab', { name: 'Explain' }).click();
    await page.getByRole('tab', { name: 'Access' }).click();
    await page.getByText('Loses 3').waitFor();
    await page.getByRole('link', { name: 'Usage' }).click();
    await page.getByRole('button', { name: 'Stay' }).click();
    const sent = page.waitForRequest((request) => request.method() === 'PATCH');
    await page.getByRole('button', { name: 'Save changes' }).click();
    expect((await sent).postDataJSON()).toEqual({
      mcp_capabilities: ['tools', 'prompts', 'agents'],
    });
    await page.getByText('Saved. It applies from the next request.').waitFor();
    await previewSays(page, /0 resources/);
  });

  test('an explanation names the step that stops an item', async () => {
    const { id } = await createKey('Explained', {
      resource_policy: { mode: 'blacklist', patterns: ['notes/**'] },
    });
    const { page } = await openAs(browser(), gateway, ada);
    await page.goto(`${gateway.config.PUBLIC_URL}/app/keys/${id}?tab=explain&family=resource`);
    await page.getByRole('combobox', { name: 'Item' }).click();
    await page.getByRole('option', { name: 'notes/private' }).click();
    await page.getByText('No: it may not use notes/private.').waitFor();
    await page.getByText('Reason: Excluded by this key’s policy').waitFor();
    await page.reload();
    await page.getByText('Reason: Excluded by this key’s policy').waitFor();
  });

  test('a copy has the policies of its original', async () => {
    const { id } = await createKey('Original', {
      resource_policy: { mode: 'whitelist', patterns: ['docs/*'] },
    });
    const { page } = await openAs(browser(), gateway, ada);
    await page.goto(`${gateway.config.PUBLIC_URL}/app/keys/${id}`);
    await page.getByRole('link', { name: 'Duplicate' }).click();
    await previewSays(page, /1 resource,/);
    await page.getByRole('button', { name: 'Create key', exact: true }).click();
    await page.getByRole('dialog').waitFor();
    expect((await keyNamed('Original (copy)'))?.resource_policy).toEqual({
      ...{ mode: 'whitelist', patterns: ['docs/*'] },
    });
  });

  test('every view is accessible, on a screen and a phone', async () => {
    const { id } = await createKey('Accessible', {
      tool_policy: { mode: 'blacklist', tools: [(await firstTool()).id] },
    });
    await expectAccessible(browser(), gateway, ada, {
      keys: (page) => page.goto('/app/keys').then(() => page.getByText('Accessible').waitFor()),
      async 'key-new'(page) {
        await page.goto('/app/keys/new?preset=editor');
        await previewSays(page, /resources/);
        const folded = ['What it may use', 'Permissions', 'How tools are listed'];
        for (const title of [...folded, 'Default agent', 'Expiry', 'Review'])
          await unfold(page, title);
        await page.getByRole('radiogroup', { name: 'Tools' }).getByLabel('Only these').check();
        await page.getByRole('radiogroup', { name: 'Resources' }).getByLabel('Only these').check();
        await page.getByText('0 of 3 resources match').waitFor();
      },
      async 'key-access'(page) {
        await page.goto(`/app/keys/${id}`);
        await previewSays(page, /resources/);
        await page.getByRole('checkbox', { name: 'Prompts' }).uncheck();
        await page.getByText(/Loses|sees the same/).waitFor();
      },
      'key-connect': (page) =>
        page.goto(`/app/keys/${id}?tab=connect`).then(() => page.getByText('Goes to').waitFor()),
      'key-activity': (page) =>
        page.goto(`/app/keys/${id}?tab=activity`).then(() => page.getByText('No calls').waitFor()),
      async 'key-explain'(page) {
        await page.goto(`/app/keys/${id}?tab=explain&family=tool&item=${(await firstTool()).id}`);
        await page.getByText('Reason: Excluded by this key’s policy').waitFor();
      },
    });
  }, 300_000);
});

const firstTool = async () =>
  (await ask<{ data: { id: string }[] }>('/api/catalog/tools')).data[0]!;
