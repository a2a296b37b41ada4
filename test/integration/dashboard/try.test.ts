import type { Page, Response } from 'playwright-core';
import { expect, test } from 'vitest';
import { describeInBrowser } from '../../support/people/browser.ts';
import { openAs } from '../../support/people/dashboard.ts';
import { createOrganization } from '../../support/people/organizations.ts';
import { selectTools, signInAs, signUp } from '../../support/people/people.ts';
import { addItems, answerOf, press, returned, start } from '../../support/people/trying.ts';
import { createTeam } from '../../support/people/teams.ts';
import { useGateway } from '../../support/worlds/use-gateway.ts';

const { world, gateway } = await useGateway();
const ada = await signUp(world, gateway);
await selectTools(ada, ['calculator', 'current_time', 'hash']);
await addItems(ada);

async function ask<Body>(path: string, method = 'GET', body?: unknown, who = ada): Promise<Body> {
  const answer = await who.person.ask<Body>({ path, method, body, headers: who.bearer });
  expect(answer.status).toBeLessThan(300);
  return answer.body;
}

interface Connection {
  client: { name: string };
  organization: { name: string } | null;
  teams: { name: string }[];
  mcp_capabilities: string[];
}
const connections = async (who = ada) =>
  (await ask<{ data: Connection[] }>('/api/me/connections', 'GET', undefined, who)).data;

/** Returns the status of a request to `/mcp` with a token. */
async function statusWith(token: unknown): Promise<number> {
  const { status } = await fetch(`${gateway.url}/mcp`, {
    method: 'POST',
    headers: {
      ...{ authorization: `Bearer ${String(token)}`, 'content-type': 'application/json' },
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({
      ...{ jsonrpc: '2.0', id: 1, method: 'initialize' },
      params: {
        ...{ protocolVersion: '2025-11-25', capabilities: {} },
        clientInfo: { name: 'test', version: '1' },
      },
    }),
  });
  return status;
}

/** All that the browser stores for pages of the service. */
const stored = (page: Page) =>
  page.evaluate<string>(
    `(async () => JSON.stringify([{ ...localStorage }, { ...sessionStorage },
      await indexedDB.databases(), await caches.keys(), document.cookie]))()`,
  );

describeInBrowser('the page on which tools are tried', (browser) => {
  test('a person allows it, sees what the connection lists, calls a tool, and ends the connection', async () => {
    const { page, context, errors, requests } = await openAs(browser(), gateway, ada);
    const codes: string[] = [];
    context.on('response', (response: Response) => {
      const code = /[?&]code=([^&]+)/.exec(response.headers()['location'] ?? '')?.[1];
      if (code !== undefined) codes.push(code);
    });
    await page.goto('/app/mcp');
    await page.getByRole('link', { name: 'Try it: calculator' }).click();
    await page.getByText('Calls are real.').waitFor();
    const token = await start(page);
    expect(token).toMatchObject({ token_type: 'Bearer', expires_in: 900 });
    expect(token).not.toHaveProperty('refresh_token');

    const listed = page.getByRole('listitem');
    await listed.filter({ hasText: 'wipe' }).waitFor();
    const names = (await listed.allInnerTexts()).map((text) => text.split('\n')[0]);
    for (const name of ['calculator', 'current_time', 'hash', 'setup', 'bootstrap'])
      expect(names).toContain(name);
    expect(names).not.toContain('web_fetch');

    await page.getByLabel('expression').fill('6 * 7');
    await press(page, 'Call (uses quota)');
    await answerOf(page).getByText('Result', { exact: true }).waitFor();
    expect(await returned(page)).toMatchObject({ structuredContent: { result: 42 } });

    const [row] = await connections();
    expect(row).toMatchObject({ client: { name: 'Try it' }, organization: null });
    const kept = await stored(page);
    for (const secret of [String(token['access_token']), ...codes])
      expect(kept).not.toContain(secret);
    expect(codes).toHaveLength(1);
    const calls = requests.filter(({ url }) => /\/mcp$|\/oauth\/token$/.test(url));
    expect(calls.length).toBeGreaterThan(2);
    expect(calls.filter(({ headers }) => headers['cookie'] !== undefined)).toEqual([]);
    expect(await statusWith(token['access_token'])).toBe(200);

    await press(page, 'End');
    await page.getByRole('button', { name: 'Allow and start' }).waitFor();
    expect(await statusWith(token['access_token'])).toBe(401);
    expect(await connections()).toEqual([]);
    expect(errors).toEqual([]);
  });

  test('wrong arguments are reported at their fields, and an error of a tool exactly as returned', async () => {
    const { page, errors } = await openAs(browser(), gateway, ada);
    await page.goto('/app/try?family=tool&item=calculator');
    await start(page);
    await press(page, 'Call (uses quota)');
    await page.locator('input:focus[aria-invalid=true]').waitFor();
    await answerOf(page).getByText('Protocol error').waitFor();
    const { error } = await returned(page);
    expect(error.data.issues).toEqual([expect.objectContaining({ pointer: '/expression' })]);
    await page.getByText(error.data.issues[0].message, { exact: true }).first().waitFor();

    await page.getByLabel('expression').fill('1 / 0');
    await press(page, 'Call (uses quota)');
    await answerOf(page).getByText('Tool error').waitFor();
    const failed = await returned(page);
    await answerOf(page)
      .getByText(failed.structuredContent.error.message, { exact: true })
      .waitFor();
    expect(await page.getByRole('link', { name: 'Why?' }).count()).toBe(0);
    expect(await returned(page)).toMatchObject({
      isError: true,
      structuredContent: { error: { code: 'invalid_expression' } },
    });

    await page.getByText('JSON', { exact: true }).click();
    const text = page.getByRole('textbox', { name: 'Arguments' });
    expect(JSON.parse(await text.innerText())).toEqual({ expression: '1 / 0' });
    await text.fill('{"expression": "2 + 2"}');
    await press(page, 'Call (uses quota)');
    await answerOf(page).getByText('Result', { exact: true }).waitFor();
    await page.getByText('Form', { exact: true }).click();
    expect(await page.getByLabel('expression').inputValue()).toBe('2 + 2');
    expect(errors).toEqual([]);
  });

  test('what the connection does not list leads to its explanation', async () => {
    const { page } = await openAs(browser(), gateway, ada);
    await page.goto('/app/try?family=tool&item=web_fetch');
    await start(page);
    await page.getByText('This connection cannot use “web_fetch”.').waitFor();
    await page.getByRole('link', { name: 'Why?' }).click();
    await page.getByText('No: it may not use web_fetch.').waitFor();
    expect(await page.getByRole('combobox', { name: 'Item' }).inputValue()).toBe('web_fetch');
    // The connection lives on in this tab.
    await page.getByRole('link', { name: 'Try it', exact: true }).click();
    await page.getByRole('button', { name: 'End', exact: true }).waitFor();
  });

  test('a form follows a nested schema, and errors inside it are shown at their fields', async () => {
    const { page, errors } = await openAs(browser(), gateway, ada);
    await page.goto('/app/try?family=tool&item=book');
    await start(page);
    await page.getByLabel('nights').waitFor();
    await page.getByRole('button', { name: 'Add an entry' }).click();
    await press(page, 'Call (uses quota)');
    await answerOf(page).getByText('Protocol error').waitFor();
    const pointers = (await returned(page)).error.data.issues.map(
      ({ pointer }: { pointer: string }) => pointer,
    );
    expect(pointers).toContain('/guests/0/name');
    expect(await page.getByLabel('name').getAttribute('aria-invalid')).toBe('true');
    await page.getByLabel('name').fill('Ben');
    await page.getByText('JSON', { exact: true }).click();
    const sent = JSON.parse(await page.getByRole('textbox', { name: 'Arguments' }).innerText());
    expect(sent).toEqual({ guests: [{ name: 'Ben' }] });
    expect(errors).toEqual([]);
  });

  test('prompts are got and resources are read', async () => {
    const { page } = await openAs(browser(), gateway, ada);
    await page.goto('/app/try?family=prompt&item=greet');
    await start(page);
    await press(page, 'Get prompt');
    await page.locator('input:focus[aria-invalid=true]').waitFor();
    await page.getByLabel('who').fill('Ben');
    await press(page, 'Get prompt');
    await page.getByLabel('Text of the answer').getByText('Greet Ben.').waitFor();
    await page.getByText('Resources', { exact: true }).last().click();
    await page.getByRole('link', { name: 'toolgate://me/notes/one' }).click();
    await press(page, 'Read resource');
    await page.getByLabel('Text of the answer').getByText('First line.').waitFor();
  });

  test('a tool that may destroy something is called only after a question', async () => {
    const { page } = await openAs(browser(), gateway, ada);
    let calls = 0;
    page.on('request', (request) => {
      if (request.postData()?.includes('"tools/call"') === true) calls += 1;
    });
    const tools = await ask<{ data: { id: string; name: string }[] }>('/api/me/custom-tools');
    const { id } = tools.data.find(({ name }) => name === 'wipe')!;
    await page.goto(`/app/tools/${id}`);
    await page.getByRole('link', { name: 'Try it: wipe' }).click();
    await start(page);
    await press(page, 'Call (uses quota)');
    await page.getByRole('dialog').getByText('may change or delete').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(calls).toBe(0);
    await press(page, 'Call (uses quota)');
    await page.getByRole('dialog').getByRole('button', { name: 'Call it' }).click();
    await answerOf(page).getByText('Tool error').waitFor();
    expect(calls).toBe(1);
  });

  test('in an organization, it works in the teams that were chosen, and signing out ends it', async () => {
    const eve = await signUp(world, gateway, 'eve');
    const { id } = await createOrganization(eve, 'Acme');
    await createTeam(eve, id, 'red');
    await createTeam(eve, id, 'blue');
    const { page } = await openAs(browser(), gateway, eve);
    await page.goto(`/app/try?organization=${id}`);
    const { access_token } = await start(page, async (window) => {
      await window.getByText('Allow Try it to act for you in Acme?').waitFor();
      await window.getByRole('checkbox', { name: 'blue' }).uncheck();
      await press(window, 'Allow');
    });
    const [row] = await connections(eve);
    expect(row?.organization?.name).toBe('Acme');
    expect(row?.teams.map(({ name }) => name)).toEqual(['red']);
    expect(await statusWith(access_token)).toBe(200);

    await page.getByRole('button', { name: 'Account menu' }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.waitForURL('**/sign-in');
    expect(await statusWith(access_token)).toBe(401);
  });

  test('a person who denies it, or whose connection was revoked, reads so and can start again', async () => {
    const ben = await signUp(world, gateway, 'ben');
    const { page } = await openAs(browser(), gateway, ben);
    await page.goto('/app/try?family=tool&item=setup');
    const opened = page.waitForEvent('popup');
    await press(page, 'Allow and start');
    await press(await opened, 'Deny');
    await page.getByRole('alert').filter({ hasText: 'Access was not allowed' }).waitFor();
    expect(await connections(ben)).toEqual([]);

    await start(page);
    const { data } = await ask<{ data: { id: string }[] }>(
      ...(['/api/me/connections', 'GET', undefined, await signInAs(ben)] as const),
    );
    await ask(`/api/me/connections/${data[0]!.id}`, 'DELETE', undefined, ben);
    await press(page, 'Call (uses quota)');
    const dialog = page.getByRole('dialog');
    if (await dialog.isVisible()) await press(page, 'Call it');
    await page.getByText('Access has ended.').waitFor();
    await start(page);
    await page.getByRole('heading', { level: 2 }).waitFor();
  });
});
