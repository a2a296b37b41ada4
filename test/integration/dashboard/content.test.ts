import { AxeBuilder } from '@axe-core/playwright';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeInBrowser, openTab } from '../../support/people/browser.ts';
import type { Tab } from '../../support/people/browser.ts';
import { createKey, signUp } from '../../support/people/people.ts';
import type { SignedUp } from '../../support/people/people.ts';
import { createWorld } from '../../support/worlds/world.ts';
import type { Gateway, World } from '../../support/worlds/world.ts';

let world: World;
let gateway: Gateway;
let ada: SignedUp;
beforeAll(async () => {
  world = await createWorld({ OUTBOUND_ALLOW: '127.0.0.1' });
  gateway = await world.gateway();
  ada = await signUp(world, gateway);
  await gateway.service.setAccountPlan(ada.account_id, 'pro');
});
afterAll(() => world?.close());

/** Asks the API as the account of the pages, and requires success. */
async function ask<Body = { id: string; version: number }>(
  path: string,
  body?: object,
  method?: string,
): Promise<Body> {
  const answer = await ada.person.ask<Body>({
    ...{ path: `/api/me/${path}`, headers: ada.bearer },
    ...(body === undefined ? {} : { body }),
    ...(method === undefined ? {} : { method }),
  });
  if (answer.status >= 300) throw new Error(`${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body;
}

async function open({ page, context }: Tab, path: string) {
  const url = gateway.config.PUBLIC_URL;
  await context.addCookies([...ada.cookies].map(([name, value]) => ({ name, value, url })));
  await page.goto(`${url}${path}`);
  return page;
}

const promptDraft = (name: string) => ({
  name,
  title: 'Review',
  arguments: [{ name: 'topic', required: true }],
  messages: [{ role: 'user', content: 'Review {{topic}}.' }],
});

describeInBrowser('the pages of prompts, resources and agents', (browser) => {
  test('a prompt is created with its arguments, and an error of the service is shown at its field', async () => {
    const tab = await openTab(browser());
    const page = await open(tab, '/app/prompts');
    await page.getByRole('link', { name: 'Create a prompt' }).first().click();
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Not A Name');
    await page.getByRole('button', { name: 'Add an argument' }).click();
    await page.getByLabel('Name of argument 1').fill('topic');
    await page.getByLabel('Text of message 1').fill('Review {{topic}} today.');
    await page.getByRole('button', { name: 'Create prompt' }).click();

    const name = page.getByRole('textbox', { name: 'Name', exact: true });
    await page.getByText('must be 1 to 64 characters of a-z, 0-9, _ and -').waitFor();
    expect(await name.getAttribute('aria-invalid')).toBe('true');
    expect(await name.evaluate((node) => node === node.ownerDocument.activeElement)).toBe(true);

    await page.getByLabel('Try topic').fill('the gate');
    await page.getByText('Review the gate today.').waitFor();
    await name.fill('review');
    await page.getByRole('button', { name: 'Create prompt' }).click();
    await page.getByRole('heading', { level: 1, name: 'review' }).waitFor();
    expect(tab.errors).toEqual([]);
  });

  test('saving over a version that somebody else saved shows both, and saves what is chosen', async () => {
    const { id } = await ask('prompts', promptDraft('contested'));
    const tab = await openTab(browser());
    const page = await open(tab, `/app/prompts/${id}`);
    await page.getByLabel('Title').fill('Mine');
    await page.getByLabel('Description', { exact: true }).fill('My description.');
    await ask(`prompts/${id}`, { title: 'Theirs', description: 'Their description.' }, 'PATCH');
    await page.getByRole('button', { name: 'Save', exact: true }).click();

    const conflict = page.getByRole('alert').filter({ hasText: 'Version 2 was saved' });
    await conflict.getByText('Their description.').waitFor();
    await conflict.getByRole('button', { name: 'Take theirs: Description' }).click();
    expect(await page.getByLabel('Description', { exact: true }).inputValue()).toBe(
      'Their description.',
    );
    await page.getByRole('button', { name: 'Save as version 3' }).click();
    await conflict.waitFor({ state: 'detached' });

    expect(await ask(`prompts/${id}`)).toMatchObject({
      ...{ version: 3, title: 'Mine', description: 'Their description.' },
    });
    expect(tab.errors).toEqual([]);
  });

  test('an earlier version is compared with the active one and restored', async () => {
    const { id } = await ask('prompts', promptDraft('restored'));
    await ask(`prompts/${id}`, { title: 'Rewritten' }, 'PATCH');
    const tab = await openTab(browser());
    const page = await open(tab, `/app/prompts/${id}`);
    await page.getByRole('tab', { name: 'Versions' }).click();
    await page.getByRole('button', { name: 'Compare version 1 with the active one' }).click();
    await page.getByText('Rewritten').waitFor();
    await page.getByRole('button', { name: 'Restore version 1' }).click();
    await page.getByText('Version 3, ').waitFor();
    await page.getByRole('tab', { name: 'Edit' }).click();
    expect(await page.getByLabel('Title').inputValue()).toBe('Review');
    expect(tab.errors).toEqual([]);
  });

  test('deleting a prompt lists the keys that lose it, and wants its name typed', async () => {
    const { id } = await ask('prompts', promptDraft('doomed'));
    await createKey(ada, {
      name: 'Nightly report',
      mcp_capabilities: ['prompts'],
      prompt_policy: { mode: 'whitelist', prompts: [id] },
    });
    const tab = await openTab(browser());
    const page = await open(tab, `/app/prompts/${id}`);
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Nightly report').waitFor();
    const action = dialog.getByRole('button', { name: 'Delete prompt' });
    expect(await action.isDisabled()).toBe(true);
    await dialog.getByLabel('Type doomed to confirm').fill('doomed');
    await action.click();
    await page.waitForURL('**/app/prompts');
    await expect(ask(`prompts/${id}`)).rejects.toThrow('404');
    expect(tab.errors).toEqual([]);
  });

  test('a list is searched by the beginning of names, in the address, and shows more on demand', async () => {
    for (let number = 0; number < 55; number += 1)
      await ask('prompts', promptDraft(`many-${String(number).padStart(2, '0')}`));
    const tab = await openTab(browser());
    const page = await open(tab, '/app/prompts?q=many-');
    await page.getByRole('link', { name: 'many-00' }).waitFor();
    expect(await page.getByRole('link', { name: 'many-54' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Show more' }).click();
    await page.getByRole('link', { name: 'many-54' }).waitFor();
    await page.getByLabel('Name begins with').fill('nothing');
    await page.getByText('No name begins with “nothing”.').waitFor();
    await page.waitForURL('**/app/prompts?q=nothing');
    expect(tab.errors).toEqual([]);
  });

  test.each([
    ['light', 1440],
    ['dark', 1440],
    ['light', 390],
    ['dark', 390],
  ] as const)(
    'every page passes axe and fits the screen: %s, %i wide',
    async (colorScheme, width) => {
      const pages = await viewed();
      for (const [name, path] of Object.entries(pages)) {
        const viewport = { width, height: 900 };
        const tab = await openTab(browser(), { colorScheme, viewport, reducedMotion: 'reduce' });
        const page = await open(tab, path);
        await page.getByRole('heading', { level: 1 }).waitFor();
        await page.waitForLoadState('networkidle');
        const { violations } = await new AxeBuilder({ page }).analyze();
        const found = violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]);
        if (folder !== undefined)
          await page.screenshot({
            path: `${folder}/content-${name}-${width}-${colorScheme}.png`,
            fullPage: true,
          });
        expect(found, name).toEqual([]);
        expect(await page.evaluate('document.documentElement.scrollWidth'), name).toBe(width);
        expect(tab.errors, name).toEqual([]);
        await tab.context.close();
      }
    },
    120_000,
  );
});

const folder = process.env['DASHBOARD_PICTURES'];
let prepared: Promise<Record<string, string>> | null = null;

/** Creates an item of each family once, and returns the addresses of its pages by name. */
const viewed = () => (prepared ??= prepare());

async function prepare(): Promise<Record<string, string>> {
  const prompt = await ask('prompts', promptDraft('seen'));
  await ask(`prompts/${prompt.id}`, { title: 'Review a topic' }, 'PATCH');
  const resource = await ask('resources', {
    ...{ path: 'guides/style.md', title: 'Style guide', mime_type: 'text/markdown' },
    text: '# Style\n\nWrite short sentences.\n'.repeat(20),
  });
  const picture = await ask('resources', { path: 'logo.bin', blob: 'AAECAwQ=' });
  const agent = await ask('agents', {
    ...{ name: 'writer', description: 'Writes the notes of a release.' },
    instructions: '# Writer\n\nWrite what changed, for the people who use it.',
    components: [
      { name: 'tone', content: 'Be kind.' },
      { name: 'tools', content: 'Call a tool.', when: { capability: 'tools' } },
      { name: 'review', content: 'Then review.', when: { prompt: prompt.id } },
    ],
  });
  return {
    prompts: '/app/prompts',
    'prompts-none': '/app/prompts?q=zzz',
    'prompt-new': '/app/prompts/new',
    prompt: `/app/prompts/${prompt.id}`,
    'prompt-versions': `/app/prompts/${prompt.id}?tab=versions`,
    'prompt-uses': `/app/prompts/${prompt.id}?tab=uses`,
    resources: '/app/resources',
    'resource-new': '/app/resources/new',
    resource: `/app/resources/${resource.id}`,
    'resource-binary': `/app/resources/${picture.id}`,
    agents: '/app/agents',
    'agent-new': '/app/agents/new',
    agent: `/app/agents/${agent.id}`,
  };
}
