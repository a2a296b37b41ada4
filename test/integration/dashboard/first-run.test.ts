import { afterAll, beforeAll, expect, test } from 'vitest';
import { createSecrets } from '../../../src/platform/secrets.ts';
import { firstRunToken } from '../../../src/seed/demo/demo.ts';
import { findViolations } from '../../support/people/accessibility.ts';
import { describeInBrowser } from '../../support/people/browser.ts';
import { expectAccessible, openAs } from '../../support/people/dashboard.ts';
import { createPerson, signUp } from '../../support/people/people.ts';
import { createWorld, useWorld } from '../../support/worlds/world.ts';
import type { Gateway, World } from '../../support/worlds/world.ts';

const LOCAL = { DEV_MAIL: 'on' };

let world: World;
let gateway: Gateway;
let token: string;
beforeAll(async () => {
  world = await createWorld(LOCAL);
  gateway = await world.gateway();
  token = firstRunToken(createSecrets(world.env['SECRETS_KEY']!));
});
afterAll(() => world?.close());

const nobody = { cookies: new Map<string, string>() };

/** The routes of a local start are not in the API's document. */
const ask = (path: string, method: string, body?: unknown, headers = {}) =>
  createPerson(gateway.url).ask({ path, method, body, headers, isUndeclared: true });

test('the demo is loaded over HTTP only with the token, and removed only by its people', async () => {
  const wrong = await ask('/dev/demo', 'POST', { token: 'wrong' });
  const removal = await ask('/dev/demo', 'DELETE');

  expect(wrong.status).toBe(422);
  expect(removal.status).toBe(403);
  expect(await world.query('SELECT FROM account')).toEqual([]);
});

describeInBrowser('the first run', (browser) => {
  test('a person looks at the demo, whose first page explains a denial, and removes it', async () => {
    const { page, errors } = await openAs(browser(), gateway, nobody);
    await page.goto(`/first-run#token=${token}`);
    await page.getByRole('button', { name: 'Load the demo' }).click();
    await page.getByRole('heading', { name: 'The demo is ready' }).waitFor({ timeout: 180_000 });

    expect(page.url()).toBe(`${gateway.config.PUBLIC_URL}/first-run`);
    await page.getByText(/dora@acme\.example {2}\S{24}/).waitFor();
    await page.getByText(/curl -s .*X-API-Key: sk_/).waitFor();
    expect(await findViolations(page)).toEqual([]);
    const links = page.getByRole('list').getByRole('link');
    expect(await links.count()).toBe(5);

    const addresses = await Promise.all([0, 1].map((nth) => links.nth(nth).getAttribute('href')));
    await page.goto(addresses[1]!);
    await page.getByText(/^Yes: it may use .*web_fetch/).waitFor();
    await page.goto(addresses[0]!);
    await page.getByRole('heading', { level: 1, name: 'nightly-report' }).waitFor();
    await page.getByText(/^No: .*web_fetch/).waitFor();

    await page.getByRole('button', { name: 'Account menu' }).click();
    await page.getByRole('menuitem', { name: 'Remove the demo' }).click();
    await page.getByRole('button', { name: 'Remove the demo' }).click();
    await page.getByText('The demo is removed.').waitFor({ timeout: 180_000 });
    expect(await world.query('SELECT FROM account')).toEqual([]);
    expect(errors).toEqual([]);
  }, 500_000);

  test('the page is accessible before anything exists', async () => {
    const own = await useWorld(LOCAL);
    await expectAccessible(browser(), await own.gateway(), nobody, {
      'first-run': async (page) => {
        await page.goto(`/first-run#token=${token}`);
        await page.getByRole('button', { name: 'Load the demo' }).waitFor();
      },
    });
  }, 120_000);
});

test('the token loads nothing once anyone has an account', async () => {
  const own = await useWorld(LOCAL);
  const used = await own.gateway();
  await signUp(own, used);

  const { status } = await createPerson(used.url).ask({
    ...{ path: '/dev/demo', body: { token }, isUndeclared: true },
  });

  expect(status).toBe(422);
  expect(await own.query('SELECT FROM organization')).toEqual([]);
}, 120_000);

test('a start that is not local has none of it', async () => {
  const own = await useWorld();
  const elsewhere = await own.gateway();

  const answer = await createPerson(elsewhere.url).ask({ path: '/dev/demo', isUndeclared: true });

  expect(answer.status).toBe(404);
}, 120_000);
