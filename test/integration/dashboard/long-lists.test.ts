import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { findViolations } from '../../support/people/accessibility.ts';
import { describeInBrowser } from '../../support/people/browser.ts';
import { openAs } from '../../support/people/dashboard.ts';
import { askAs, createOrganization } from '../../support/people/organizations.ts';
import { signUp } from '../../support/people/people.ts';
import { createTeam } from '../../support/people/teams.ts';
import { useGateway } from '../../support/worlds/use-gateway.ts';

const ROWS = 10_000;

const { world, gateway } = await useGateway();
const ada = await signUp(world, gateway);
const { id: organization_id } = await createOrganization(ada);
const { id: team_id } = await createTeam(ada, organization_id, 'release');
await fillPrompts('/api/me', ROWS);
await fillPrompts(`/api/organizations/${organization_id}`, 2 * ROWS);
await world.query('ANALYZE');

/** Creates a prompt, and copies of it up to `ROWS`, which lists show in the order of their names. */
async function fillPrompts(space: string, last: number): Promise<void> {
  const { body } = await askAs<{ id: string }>(ada, {
    path: `${space}/prompts`,
    body: {
      ...{ name: 'prompt-00001', description: 'Greets.' },
      messages: [{ role: 'user', content: 'Hello.' }],
    },
  });
  await world.query(
    `INSERT INTO item (id, space_id, family, name, version, head)
     SELECT ('00000000-0000-7000-8000-' || lpad(to_hex($2::int - n), 12, '0'))::uuid, space_id, family,
       'prompt-' || lpad(n::text, 5, '0'), version, head
     FROM item, generate_series(2, ${ROWS}) AS n WHERE item.id = $1`,
    [body.id, last],
  );
}

const elementsOf = (page: Page) => page.evaluate<number>("document.querySelectorAll('*').length");
const focused = (page: Page) =>
  page.evaluate<string>('document.activeElement.closest("[role=listitem]")?.textContent ?? ""');

describeInBrowser('lists of ten thousand rows', (browser) => {
  test('the items of a policy are chosen with the keyboard; only those in view are in the page', async () => {
    const { page, errors } = await openAs(browser(), gateway, ada);
    await page.goto('/app/keys/new');
    await page.getByLabel('Name').fill('Long policy');
    await page.locator('summary').filter({ hasText: 'What it may use' }).click();
    await page.getByRole('radiogroup', { name: 'Prompts' }).getByLabel('Only these').check();
    const list = page.getByRole('list', { name: 'Own prompts' });
    const first = list.getByRole('checkbox', { name: 'prompt-00001' });
    await first.waitFor();
    const row = list.getByRole('listitem').first();
    expect(await row.getAttribute('aria-setsize')).toBe(String(ROWS));
    expect(await row.getAttribute('aria-posinset')).toBe('1');
    expect(await list.getByRole('listitem').count()).toBeLessThan(50);
    expect(await elementsOf(page)).toBeLessThan(ROWS);

    await first.focus();
    await page.keyboard.press('End');
    expect(await focused(page)).toBe('prompt-10000');
    await page.keyboard.press('Space');
    await page.getByText(`1 of ${ROWS}`).waitFor();
    await page.keyboard.press('ArrowUp');
    expect(await focused(page)).toBe('prompt-09999');
    await page.keyboard.press('Home');
    expect(await focused(page)).toBe('prompt-00001');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Space');
    await page.getByText(`2 of ${ROWS}`).waitFor();
    expect(await findViolations(page)).toEqual([]);
    await page.keyboard.press('Tab');
    expect(await focused(page)).not.toContain('prompt-');

    await page.getByLabel('Filter: Own prompts').fill('5000');
    expect(await list.getByRole('listitem').count()).toBe(1);
    await list.getByRole('checkbox', { name: 'prompt-05000' }).check();
    await page.getByRole('button', { name: 'Create key', exact: true }).click();
    await page.getByRole('dialog').getByLabel('Secret of the key').waitFor();
    const { body } = await askAs<{ data: { prompt_policy: { prompts: string[] } }[] }>(ada, {
      path: '/api/keys',
    });
    const chosen = await world.query<{ name: string }>(
      'SELECT name FROM item WHERE id = ANY($1) ORDER BY name',
      [body.data[0]!.prompt_policy.prompts],
    );
    expect(chosen.map(({ name }) => name)).toEqual([
      ...['prompt-00002', 'prompt-05000', 'prompt-10000'],
    ]);
    expect(errors).toEqual([]);
  });

  test('the items that a team admits are found by typing', async () => {
    const { page, errors } = await openAs(browser(), gateway, ada);
    await page.goto(`/app/org/${organization_id}/teams/${team_id}?tab=policies`);
    const prompts = page.getByRole('region', { name: 'Prompts' });
    await prompts.getByLabel('Only these').check();
    const field = prompts.getByRole('combobox', { name: 'Prompts of the organization' });
    await field.click();
    const options = page.getByRole('option');
    await options.first().waitFor();
    expect(await options.count()).toBe(100);
    await field.fill('09999');
    await page.getByRole('option', { name: 'prompt-09999' }).click();
    await expect.poll(() => prompts.textContent()).toContain('prompt-09999');
    expect(await elementsOf(page)).toBeLessThan(ROWS);
    expect(errors).toEqual([]);
  });

  test('a list of content is read a page at a time', async () => {
    const { page, errors } = await openAs(browser(), gateway, ada);
    await page.goto('/app/prompts');
    const rows = page.getByRole('main').getByRole('link', { name: /^prompt-\d/ });
    await rows.first().waitFor();
    expect(await rows.count()).toBeLessThanOrEqual(100);
    await page.getByRole('button', { name: 'Show more' }).click();
    await expect.poll(() => rows.count()).toBeGreaterThan(50);
    expect(await elementsOf(page)).toBeLessThan(ROWS);
    expect(errors).toEqual([]);
  });
});
