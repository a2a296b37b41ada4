import { expect, test } from 'vitest';
import type { Page } from 'playwright-core';
import { describeInBrowser } from '../../support/people/browser.ts';
import { openAs } from '../../support/people/dashboard.ts';
import { askAs, createJoins, createOrganization } from '../../support/people/organizations.ts';
import { ADMIN } from '../../support/people/organizations.ts';
import { ownAddresses, signUp } from '../../support/people/people.ts';
import type { SignedUp } from '../../support/people/people.ts';
import { closeAfterTests } from '../../support/worlds/close-after-tests.ts';
import { useGateway } from '../../support/worlds/use-gateway.ts';

const { world, gateway } = await useGateway(ownAddresses);
const joins = await closeAfterTests(createJoins(gateway));
const victim = await signUp(world, gateway, 'victim');
const mallory = await signUp(world, gateway, 'mallory');
/** The victim's organization. */
const { id: own } = await createOrganization(victim, 'Own');
/** Mallory's, in which the victim is a member. */
const { id: evil } = await createOrganization(mallory, 'Evil');
await joins.add(evil, victim, [ADMIN]);

async function created<Body>(who: SignedUp, path: string, body: object): Promise<Body> {
  const answer = await askAs<Body>(who, { path, body });
  if (answer.status !== 201) throw new Error(`${path}: ${JSON.stringify(answer.body)}`);
  return answer.body;
}

/** Records what a tab sends to the API. */
function watch(page: Page): string[] {
  const sent: string[] = [];
  page.on('request', (request) => {
    const { pathname } = new URL(request.url());
    if (pathname.startsWith('/api/')) sent.push(`${request.method()} ${pathname}`);
  });
  return sent;
}

describeInBrowser('an id in an address of the dashboard', (browser) => {
  test('an id in the address of a form to copy from is never read as a path: nothing that another organization wrote fills it', async () => {
    const { id: client } = await created<{ id: string }>(
      mallory,
      `/api/organizations/${evil}/oauth-clients`,
      {
        ...{ name: 'Claude', type: 'public', grant_types: ['authorization_code'] },
        redirect_uris: ['https://evil.example/steal'],
        allowed_scopes: ['mcp_tools'],
      },
    );
    const { page } = await openAs(browser(), gateway, victim);
    const sent = watch(page);
    const from = encodeURIComponent(`../../${evil}/oauth-clients/${client}`);
    await page.goto(`/app/org/${own}/clients/new?from=${from}`);
    await page.locator('h1').waitFor();
    await page.waitForLoadState('networkidle');
    const fields = await page.locator('textarea, input').all();
    const filled = await Promise.all(fields.map((field) => field.inputValue()));
    expect.soft(JSON.stringify(filled)).not.toContain('evil.example');
    expect.soft(sent.filter((line) => line.includes(evil))).toEqual([]);

    await page.getByRole('button', { name: 'Register client' }).click();
    await page.waitForLoadState('networkidle');
    const { body } = await askAs<{ data: { name: string; redirect_uris: string[] }[] }>(victim, {
      path: `/api/organizations/${own}/oauth-clients`,
    });
    expect.soft(body.data.flatMap(({ redirect_uris }) => redirect_uris)).toEqual([]);
  });

  test('the id of a key is never read as a path: the page of a person’s key revokes no key of an organization', async () => {
    const { id: key } = await created<{ id: string }>(victim, `/api/organizations/${own}/keys`, {
      ...{ name: 'production', mcp_capabilities: ['tools'] },
    });
    const { page } = await openAs(browser(), gateway, victim);
    const sent = watch(page);
    await page.goto(`/app/keys/${encodeURIComponent(`../organizations/${own}/keys/${key}`)}`);
    await page.locator('h1').waitFor();
    await page.waitForLoadState('networkidle');
    expect.soft(await page.getByRole('button', { name: 'Revoke', exact: true }).count()).toBe(0);
    expect.soft(sent.filter((line) => line.includes(`/api/organizations/${own}/keys`))).toEqual([]);
  });

  test('the id of a role is never read as a path: a page of one organization shows and changes no role of another', async () => {
    const { id: role } = await created<{ id: string }>(
      mallory,
      `/api/organizations/${evil}/roles`,
      { name: 'Foreign', permissions: ['can_view_organization_members'], mcp_capabilities: [] },
    );
    const { page } = await openAs(browser(), gateway, victim);
    const sent = watch(page);
    const id = encodeURIComponent(`../../${evil}/roles/${role}`);
    await page.goto(`/app/org/${own}/roles/${id}`);
    await page.locator('h1').waitFor();
    await page.waitForLoadState('networkidle');
    expect.soft(await page.getByRole('heading', { name: 'Foreign' }).count()).toBe(0);
    expect.soft(sent.filter((line) => line.includes(evil))).toEqual([]);
  });

  test('the id of a member is never read as a path', async () => {
    const { page } = await openAs(browser(), gateway, victim);
    const sent = watch(page);
    const id = encodeURIComponent(`../../${evil}/members/${mallory.account_id}`);
    await page.goto(`/app/org/${own}/members/${id}`);
    await page.locator('h1').waitFor();
    await page.waitForLoadState('networkidle');
    expect.soft(sent.filter((line) => line.includes(evil))).toEqual([]);
  });
});
