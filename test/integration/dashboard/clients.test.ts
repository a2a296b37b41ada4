import { expect, test } from 'vitest';
import { describeInBrowser } from '../../support/people/browser.ts';
import { createConnectionsSupport } from '../../support/people/connections.ts';
import { expectAccessible, openAs } from '../../support/people/dashboard.ts';
import { signUp } from '../../support/people/people.ts';
import { closeAfterTests } from '../../support/worlds/close-after-tests.ts';
import { useGateway } from '../../support/worlds/use-gateway.ts';

const { world, gateway } = await useGateway();
const support = await closeAfterTests(createConnectionsSupport(world, gateway));
const ada = await signUp(world, gateway);
await ask('/api/me/agents', 'POST', {
  ...{ name: 'writer', description: 'Writes.', instructions: 'Write.' },
});
await ask('/api/me/resources', 'POST', { path: 'notes/one', text: 'Text.' });

async function ask<Body>(path: string, method = 'GET', body?: unknown): Promise<Body> {
  const answer = await ada.person.ask<Body>({ path, method, body, headers: ada.bearer });
  expect(answer.status).toBeLessThan(300);
  return answer.body;
}

interface StoredClient {
  id: string;
  name: string;
  type: string;
  redirect_uris: string[];
  allowed_scopes: string[];
  secrets: { prefix: string }[];
  disabled: boolean;
}
const clientNamed = async (name: string) =>
  (await ask<{ data: StoredClient[] }>('/api/me/oauth-clients')).data.find(
    (client) => client.name === name,
  );

const register = (name: string, fields: object = {}) =>
  ask<{ id: string }>('/api/me/oauth-clients', 'POST', {
    ...{ name, type: 'public', grant_types: ['authorization_code', 'refresh_token'] },
    ...{ redirect_uris: ['http://localhost/callback'], allowed_scopes: ['mcp_tools'], ...fields },
  });

async function connect(): Promise<string> {
  const client = await support.client({
    ...{ owner: { account_id: ada.account_id }, scopes: ['mcp_resources', 'mcp_agents'] },
  });
  return support.authorize(client, ada);
}

describeInBrowser('the pages of OAuth clients and connections', (browser) => {
  test('a preset fills in what a known application needs, and its steps name the new client', async () => {
    const { page, errors } = await openAs(browser(), gateway, ada);
    await page.goto('/app/clients/new?preset=vscode');
    await page.getByRole('checkbox', { name: 'Create: Prompts' }).check();
    await page.getByRole('button', { name: 'Register client' }).click();
    await page.waitForURL(/\/app\/clients\/[0-9a-f-]{36}/);
    const client = await clientNamed('VS Code');
    expect(client?.redirect_uris).toContain('https://vscode.dev/redirect');
    expect(client?.allowed_scopes).toContain('read:prompts');
    await page.getByText(`"clientId":"${client!.id}"`.replace(':', ': ')).waitFor();
    await page.getByText('“VS Code” is registered.').waitFor();
    await page.getByRole('link', { name: '0', exact: true }).click();
    await page.getByText('This client has no connections.').waitFor();
    await page.goBack();
    await page.getByRole('heading', { level: 1, name: 'VS Code' }).waitFor();
    expect(errors).toEqual([]);
  });

  test('a redirect URI that is not allowed is reported at its field', async () => {
    const { page } = await openAs(browser(), gateway, ada);
    await page.goto('/app/clients/new');
    await page.getByLabel('Name').fill('Remote');
    await page.getByLabel('Redirect URIs').fill('http://example.com/callback');
    await page.getByRole('button', { name: 'Register client' }).click();
    await page.getByText('must use https').waitFor();
    await page.locator('textarea:focus[aria-invalid=true]').waitFor();
  });

  test('a confidential client has at most two secrets, each shown once', async () => {
    const { page } = await openAs(browser(), gateway, ada);
    await page.goto('/app/clients/new');
    await page.getByLabel('Name').fill('Server');
    await page.getByRole('radio', { name: 'Confidential' }).check();
    await page.getByLabel('Redirect URIs').fill('https://server.example/callback');
    await page.getByRole('button', { name: 'Register client' }).click();
    const dialog = page.getByRole('dialog');
    const first = await dialog.getByLabel('Secret of the client').inputValue();
    expect(first).toMatch(/^cs_/);
    await dialog.getByLabel('I have stored this').check();
    await dialog.getByRole('button', { name: 'Continue to the client' }).click();

    await page.getByRole('button', { name: 'Create a secret' }).click();
    expect(await dialog.getByLabel('Secret of the client').inputValue()).not.toBe(first);
    await dialog.getByLabel('I have stored this').check();
    await dialog.getByRole('button', { name: 'Done' }).click();
    await page.getByText('at most two secrets').waitFor();
    expect(await page.getByRole('button', { name: 'Create a secret' }).count()).toBe(0);
    expect(await page.content()).not.toContain(first);

    const [secret] = (await clientNamed('Server'))!.secrets;
    await page.getByRole('button', { name: `Delete the secret ${secret!.prefix}…` }).click();
    await dialog.getByLabel(`Type ${secret!.prefix} to confirm`).fill(secret!.prefix);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Create a secret' }).waitFor();
    expect((await clientNamed('Server'))!.secrets).toHaveLength(1);
  });

  test('a client is switched off, and deleted after its name was typed', async () => {
    const { id } = await register('Leaving');
    const { page } = await openAs(browser(), gateway, ada);
    await page.goto(`/app/clients/${id}`);
    await page.getByRole('button', { name: 'Switch off' }).click();
    await page.getByLabel('Type Leaving to confirm').fill('Leaving');
    await page.keyboard.press('Enter');
    await page.getByText('Switched off').waitFor();
    expect((await clientNamed('Leaving'))?.disabled).toBe(true);
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByLabel('Type Leaving to confirm').fill('Leaving');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/app/clients');
    expect(await clientNamed('Leaving')).toBeUndefined();
  });

  test('a connection gets a default agent, searches for tools, is explained, and is revoked', async () => {
    const id = await connect();
    const { page } = await openAs(browser(), gateway, ada);
    await page.goto('/app/connections');
    await page.locator(`a[href="/app/connections/${id}"]`).click();
    await page.getByText(/1 resource, 1 agent/).waitFor();
    const settings = page.getByRole('region', { name: 'Settings' });
    await page.getByRole('combobox', { name: 'Default agent' }).click();
    await page.getByRole('option', { name: 'writer' }).click();
    await settings.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved. It applies').waitFor();
    await page.getByRole('radio', { name: 'By search' }).check();
    await settings.getByRole('button', { name: 'Save' }).click();
    await page.locator('dl').getByText('By search').waitFor();
    const { data } = await ask<{ data: { id: string }[] }>('/api/me/connections');
    expect(data.find((one) => one.id === id)).toMatchObject({
      ...{ default_agent: { name: 'writer' }, tool_listing: 'search' },
    });

    await page.getByRole('tab', { name: 'Explain' }).click();
    await page.getByRole('combobox', { name: 'Kind' }).click();
    await page.getByRole('option', { name: 'Resource' }).click();
    await page.getByRole('combobox', { name: 'Item' }).click();
    await page.getByRole('option', { name: 'notes/one' }).click();
    await page.getByText('Yes: it may use notes/one.').waitFor();

    await page.getByRole('button', { name: 'Revoke' }).click();
    await page.getByLabel('Type Client to confirm').fill('Client');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/app/connections');
    await page.getByText('“Client” is no longer connected.').waitFor();
  });

  test('every view is accessible, on a screen and a phone', async () => {
    const { id } = await register('Accessible', { type: 'confidential' });
    const connection = await connect();
    await expectAccessible(browser(), gateway, ada, {
      async clients(page) {
        await page.goto('/app/clients');
        await page.getByText('Accessible').waitFor();
      },
      async 'client-new'(page) {
        await page.goto('/app/clients/new?preset=claude');
        await page.getByLabel('Redirect URIs').waitFor();
        await page.getByRole('radio', { name: 'Confidential' }).check();
      },
      async client(page) {
        await page.goto(`/app/clients/${id}?preset=claude_code`);
        await page.getByText('claude mcp add').waitFor();
      },
      async connections(page) {
        await page.goto('/app/connections');
        await page.locator('a.list-row').first().waitFor();
      },
      async connection(page) {
        await page.goto(`/app/connections/${connection}`);
        await page.getByText(/1 resource, 1 agent/).waitFor();
      },
    });
  }, 300_000);
});
