import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { describeInBrowser, openTab } from '../../support/people/browser.ts';
import { createKey, signUp } from '../../support/people/people.ts';
import { useGateway } from '../../support/worlds/use-gateway.ts';
import { createContentPages, focusIsSeen } from './content-pages.ts';
import type { ContentViews } from './content-pages.ts';

const { world, gateway } = await useGateway({ OUTBOUND_ALLOW: '127.0.0.1' });
const ada = await signUp(world, gateway);
await gateway.service.setAccountPlan(ada.account_id, 'pro');
const pages = createContentPages(gateway, ada);

const promptDraft = (name: string) => ({
  name,
  title: 'Review',
  arguments: [{ name: 'topic', required: true }],
  messages: [{ role: 'user', content: 'Review {{topic}}.' }],
});

describeInBrowser('the pages of prompts, resources and agents', (browser) => {
  test('a prompt is created with its arguments, and an error of the service is shown at its field', async () => {
    const tab = await openTab(browser());
    const page = await pages.open(tab, '/app/prompts');
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

  test('a message without a text, and an unknown argument, are shown above the bar that saves', async () => {
    const tab = await openTab(browser());
    const page = await pages.open(tab, '/app/prompts/new');
    await page.setViewportSize({ width: 1440, height: 700 });
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('unfinished');
    await page.getByRole('button', { name: 'Create prompt' }).click();
    await page.getByText('Fields to correct: 1').waitFor();
    expect(await focusIsSeen(page, 'Fill in this field.')).toBe(true);
    await page.getByLabel('Text of message 1').fill('Review {{topic}} today.');
    await page.getByRole('button', { name: 'Create prompt' }).click();
    const message = 'The prompt has no argument named topic.';
    await page.getByText(message).waitFor();
    expect(await focusIsSeen(page, message)).toBe(true);
    expect(tab.errors).toEqual([]);
  });

  test('saving over a version that somebody else saved shows both, and saves what is chosen', async () => {
    const { id } = await pages.ask('prompts', promptDraft('contested'));
    const tab = await openTab(browser());
    const page = await pages.open(tab, `/app/prompts/${id}`);
    await page.getByLabel('Title').fill('Mine');
    await page.getByLabel('Description', { exact: true }).fill('My description.');
    await pages.ask(
      `prompts/${id}`,
      { title: 'Theirs', description: 'Their description.' },
      'PATCH',
    );
    await page.getByRole('button', { name: 'Save', exact: true }).click();

    const conflict = page.getByRole('alert').filter({ hasText: 'Version 2 was saved' });
    await conflict.getByText('Their description.').waitFor();
    await conflict.getByRole('button', { name: 'Take theirs: Description' }).click();
    expect(await page.getByLabel('Description', { exact: true }).inputValue()).toBe(
      'Their description.',
    );
    await page.getByRole('button', { name: 'Save as version 3' }).click();
    await conflict.waitFor({ state: 'detached' });

    expect(await pages.ask(`prompts/${id}`)).toMatchObject({
      ...{ version: 3, title: 'Mine', description: 'Their description.' },
    });
    expect(tab.errors).toEqual([]);
  });

  test('an earlier version is compared with the active one and restored', async () => {
    const { id } = await pages.ask('prompts', promptDraft('restored'));
    await pages.ask(`prompts/${id}`, { title: 'Rewritten' }, 'PATCH');
    const tab = await openTab(browser());
    const page = await pages.open(tab, `/app/prompts/${id}`);
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
    const { id } = await pages.ask('prompts', promptDraft('doomed'));
    await createKey(ada, {
      name: 'Nightly report',
      mcp_capabilities: ['prompts'],
      prompt_policy: { mode: 'whitelist', prompts: [id] },
    });
    const tab = await openTab(browser());
    const page = await pages.open(tab, `/app/prompts/${id}`);
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Nightly report').waitFor();
    const action = dialog.getByRole('button', { name: 'Delete prompt' });
    expect(await action.isDisabled()).toBe(true);
    await dialog.getByLabel('Type doomed to confirm').fill('doomed');
    await action.click();
    await page.waitForURL('**/app/prompts');
    await expect(pages.ask(`prompts/${id}`)).rejects.toThrow('404');
    expect(tab.errors).toEqual([]);
  });

  test('a part of an agent’s instructions applies if the key reaches what its condition names', async () => {
    await createKey(ada, { name: 'Without prompts', mcp_capabilities: ['agents'] });
    const tab = await openTab(browser());
    const page = await pages.open(tab, '/app/agents/new');
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('starter');
    await page.getByRole('textbox', { name: 'Description', exact: true }).fill('Starts.');
    await page.getByRole('textbox', { name: 'Instructions' }).fill('Do the work.');
    for (const [number, name, condition] of [
      [1, 'with-agents', 'Agents'],
      [2, 'with-prompts', 'Prompts'],
    ] as const) {
      await page.getByRole('button', { name: 'Add a part' }).click();
      await page.getByLabel(`Name of part ${number}`).fill(name);
      await page.getByLabel(`Text of part ${number}`).fill(`Part ${name}.`);
      await page
        .getByLabel(`Condition of part ${number}`, { exact: true })
        .selectOption('With the capability');
      await page.getByLabel(`Item of the condition of part ${number}`).selectOption(condition);
    }
    await page.getByRole('button', { name: 'Create agent' }).click();
    await page.getByRole('tab', { name: 'Start' }).click();
    await page.getByRole('combobox', { name: 'Start with the key' }).click();
    await page.getByRole('option', { name: 'Without prompts' }).click();
    const status = page.getByRole('status').filter({ hasText: '1 part applies.' });
    await status.getByText('with-agents').waitFor();
    expect(await status.getByText('with-prompts').count()).toBe(0);
    expect(tab.errors).toEqual([]);
  });

  test('a text file becomes a resource, and what is typed is not left without asking', async () => {
    const tab = await openTab(browser());
    const page = await pages.open(tab, '/app/resources/new');
    await page.locator('input[type=file]').setInputFiles({
      ...{ name: 'notes.md', mimeType: 'text/markdown' },
      buffer: Buffer.from('# Notes'),
    });
    await page.getByText('7 bytes').waitFor();
    await page.getByRole('link', { name: 'Agents' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Stay' }).click();
    await page.getByRole('button', { name: 'Create resource' }).click();
    await page.getByRole('heading', { level: 1, name: 'notes.md' }).waitFor();
    await page.getByRole('link', { name: 'Agents' }).click();
    await page.waitForURL('**/app/agents');
    expect(tab.errors).toEqual([]);
  });

  test('a list is searched by the beginning of names, in the address, and shows more on demand', async () => {
    for (let number = 0; number < 55; number += 1)
      await pages.ask('prompts', promptDraft(`many-${String(number).padStart(2, '0')}`));
    const tab = await openTab(browser());
    const page = await pages.open(tab, '/app/prompts?q=many-');
    await page.getByRole('link', { name: 'many-00' }).waitFor();
    expect(await page.getByRole('link', { name: 'many-54' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Show more' }).click();
    await page.getByRole('link', { name: 'many-54' }).waitFor();
    await page.getByLabel('Name begins with').fill('nothing');
    await page.getByText('No name begins with “nothing”.').waitFor();
    await page.waitForURL('**/app/prompts?q=nothing');
    expect(tab.errors).toEqual([]);
  });

  test('every page passes axe and fits the screen', async () => {
    await pages.requireAccessible(browser(), await prepareViews());
  }, 240_000);
});

/** Creates an item of each family, and returns the addresses of its pages by name. */
async function prepareViews(): Promise<ContentViews> {
  const prompt = await pages.ask('prompts', promptDraft('seen'));
  await pages.ask(`prompts/${prompt.id}`, { title: 'Review a topic' }, 'PATCH');
  const resource = await pages.ask('resources', {
    ...{ path: 'guides/style.md', title: 'Style guide', mime_type: 'text/markdown' },
    text: '# Style\n\nWrite short sentences.\n'.repeat(20),
  });
  const picture = await pages.ask('resources', { path: 'logo.bin', blob: 'AAECAwQ=' });
  const agent = await pages.ask('agents', {
    ...{ name: 'writer', description: 'Writes the notes of a release.' },
    instructions: '# Writer\n\nWrite what changed, for the people who use it.',
    components: [
      { name: 'tone', content: 'Be kind.' },
      { name: 'tools', content: 'Call a tool.', when: { capability: 'tools' } },
      { name: 'review', content: 'Then review.', when: { prompt: prompt.id } },
    ],
  });
  const seen = `/app/prompts/${prompt.id}`;
  return {
    prompts: ['/app/prompts'],
    'prompts-none': ['/app/prompts?q=zzz'],
    'prompt-new': ['/app/prompts/new'],
    prompt: [seen],
    'prompt-conflict': [seen, startConflict],
    'prompt-delete': [seen, openDeletion],
    'prompt-versions': [`${seen}?tab=versions`, compare],
    'prompt-uses': [`${seen}?tab=uses`],
    resources: ['/app/resources'],
    'resource-new': ['/app/resources/new'],
    resource: [`/app/resources/${resource.id}`],
    'resource-binary': [`/app/resources/${picture.id}`],
    agents: ['/app/agents'],
    'agent-new': ['/app/agents/new'],
    agent: [`/app/agents/${agent.id}`],
    'agent-start': [`/app/agents/${agent.id}?tab=start`],
  };
}

/** Edits a prompt in the page and meanwhile over REST, and saves. */
async function startConflict(page: Page) {
  const id = new URL(page.url()).pathname.split('/').at(-1)!;
  await page.getByLabel('Title').fill(`Mine ${crypto.randomUUID()}`);
  await pages.ask(`prompts/${id}`, { title: `Theirs ${crypto.randomUUID()}` }, 'PATCH');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByRole('button', { name: 'Take theirs: Title' }).waitFor();
}

async function openDeletion(page: Page) {
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByRole('dialog').getByText('writer').waitFor();
}

async function compare(page: Page) {
  await page.getByRole('button', { name: 'Compare version 1 with the active one' }).click();
  await page.getByRole('button', { name: 'Restore version 1' }).waitFor();
}
