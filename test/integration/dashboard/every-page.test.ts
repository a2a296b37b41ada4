import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { describeInBrowser } from '../../support/people/browser.ts';
import { createConnectionsSupport } from '../../support/people/connections.ts';
import { expectAccessible, looks } from '../../support/people/dashboard.ts';
import { askAs, createOrganization } from '../../support/people/organizations.ts';
import { signUp } from '../../support/people/people.ts';
import { startSdkV2 } from '../../support/upstreams/sdk-v2.ts';
import { closeAfterTests } from '../../support/worlds/close-after-tests.ts';
import { useGateway } from '../../support/worlds/use-gateway.ts';
import { pages } from './states.ts';

const source = fileURLToPath(new URL('../../../src/dashboard/', import.meta.url));

const { world, gateway } = await useGateway({ OUTBOUND_ALLOW: '127.0.0.1', DEV_MAIL: 'on' });
const upstream = await closeAfterTests(startSdkV2());
const support = await closeAfterTests(createConnectionsSupport(world, gateway));
const ada = await signUp(world, gateway);

/** A name that fits no line and cannot be broken at a space. */
const LONG = 'Überprüfungszuständigkeit_'.repeat(3);

async function create(path: string, body: object): Promise<string> {
  const created = await askAs<{ id: string }>(ada, { path: `/api/${path}`, body });
  expect(created.status, `${path} ${JSON.stringify(created.body)}`).toBe(201);
  return created.body.id;
}

/** Creates one of each kind in a space, and returns the ids by the names in addresses. */
async function fill(space: string): Promise<Record<string, string>> {
  const name = 'a'.repeat(60);
  const http = { method: 'GET', url: 'https://api.example.com/' };
  return {
    prompts: await create(`${space}/prompts`, {
      ...{ name, messages: [{ role: 'user', content: LONG }] },
    }),
    resources: await create(`${space}/resources`, { path: `${name}/${name}`, text: LONG }),
    agents: await create(`${space}/agents`, { name, description: LONG, instructions: LONG }),
    tools: await create(`${space}/custom-tools`, { kind: 'http', name, description: LONG, http }),
    upstreamId: await create(`${space}/upstreams`, { name, url: upstream.url, oauth: {} }),
    clientId: await create(`${space}/oauth-clients`, {
      ...{ name: LONG, type: 'public', grant_types: ['authorization_code'] },
      ...{ redirect_uris: ['http://localhost/callback'], allowed_scopes: ['mcp_tools'] },
    }),
  };
}

async function connectIn(owner: { account_id: string } | { organization_id: string }) {
  const client = await support.client({ owner, scopes: ['mcp_tools'] });
  return support.authorize(client, ada);
}

const addressOf = (path: string, ids: Readonly<Record<string, string>>): string =>
  path.replace(/\$(\w+)/g, (_, name: string) => {
    const id = ids[name];
    if (id === undefined) throw new Error(`There is no ${name} for ${path}.`);
    return id;
  });

/** The addresses in which pages show something. */
async function filledPages(): Promise<string[]> {
  const { id } = await createOrganization(ada, LONG);
  const organization = `organizations/${id}`;
  const teamId = await create(`${organization}/teams`, { name: 'a'.repeat(32) });
  const role = { name: LONG.slice(0, 64), permissions: [], capabilities: [] };
  const key = { name: LONG, mcp_capabilities: ['tools'] };
  const personal = {
    ...(await fill('me')),
    keyId: await create('keys', key),
    connectionId: await connectIn({ account_id: ada.account_id }),
  };
  const shared = {
    ...(await fill(organization)),
    keyId: await create(`${organization}/keys`, { ...key, team_ids: [teamId] }),
    connectionId: await connectIn({ organization_id: id }),
    organizationId: id,
    accountId: ada.account_id,
    teamId,
    reviewId: await create(`${organization}/access/reviews`, { name: LONG }),
    roleId: await create(`${organization}/roles`, role),
    teamRoleId: await create(`${organization}/team-roles`, role),
    ownRoleId: await create(`${organization}/teams/${teamId}/roles`, {
      ...{ ...role, name: LONG.slice(1, 65) },
    }),
  };
  return [
    ...pages.personal.map((path) => addressOf(path, personal)),
    ...pages.organization.map((path) => addressOf(path, shared)),
  ];
}

/** Opens a page, and waits until it shows what it is about, without an error. */
const showPage = (address: string) => async (page: Page) => {
  await page.goto(address);
  await page.locator('h1').waitFor();
  await page.getByRole('status', { name: 'Wird geladen …' }).first().waitFor({ state: 'detached' });
  expect(await page.getByRole('alert').allTextContents(), address).toEqual([]);
};
const viewsOf = (addresses: readonly string[]) =>
  Object.fromEntries(addresses.map((address) => [address, showPage(address)]));

test('the table of pages has every address of the dashboard', () => {
  const listed = Object.values(pages)
    .flat()
    .map((path) => path.replace(/\$\w+/g, '$'));
  const declared = globSync('*/routes.tsx', { cwd: source })
    .flatMap((file) => [
      ...readFileSync(`${source}${file}`, 'utf8').matchAll(/path: ['`](?:\$\{below\})?([^'`]+)/g),
    ])
    .map(([, path]) => path!.replace(/\$\w+/g, '$'))
    // It closes itself.
    .filter((path) => path !== '/' && path !== '/app/try/callback');

  expect(declared.length).toBeGreaterThan(50);
  expect(declared.filter((path) => !listed.some((one) => one.endsWith(path)))).toEqual([]);
});

describeInBrowser('every page of the dashboard', (browser) => {
  test('with long names and in German, it passes axe, fits the screen and causes no error', async () => {
    const options = { looks: looks.slice(1), locale: 'de' };
    const nobody = { cookies: new Map<string, string>() };
    await expectAccessible(browser(), gateway, nobody, viewsOf(pages.signedOut), options);
    await expectAccessible(browser(), gateway, ada, viewsOf(await filledPages()), options);
  }, 600_000);
});
