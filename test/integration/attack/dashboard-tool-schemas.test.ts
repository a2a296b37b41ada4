import { expect, test } from 'vitest';
import { describeInBrowser } from '../../support/people/browser.ts';
import { openAs } from '../../support/people/dashboard.ts';
import { askAs } from '../../support/people/organizations.ts';
import { signUp } from '../../support/people/people.ts';
import { press, start } from '../../support/people/trying.ts';
import { useGateway } from '../../support/worlds/use-gateway.ts';

const { world, gateway } = await useGateway();
const ada = await signUp(world, gateway);
await addTool('plain', { type: 'object', properties: { city: { type: 'string' } } });
// No key of the schema is `__proto__`, which the service refuses: it is a value here.
await addTool('hostile', {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['__proto__'],
});
await addTool('hostile_constructor', {
  type: 'object',
  properties: { constructor: { type: 'object', required: ['prototype'] } },
});

async function addTool(name: string, input_schema: object): Promise<void> {
  const { status, body } = await askAs(ada, {
    path: '/api/me/custom-tools',
    body: {
      ...{ name, description: 'A tool of someone else.', kind: 'http', input_schema },
      annotations: { readOnlyHint: true },
      http: { method: 'GET', url: 'https://tool.invalid/' },
    },
  });
  if (status !== 201) throw new Error(`${name}: ${status} ${JSON.stringify(body)}`);
}

/** Properties of all objects of the page that no page without scripts has. */
const INHERITED = 'Object.keys(Object.prototype)';

describeInBrowser(
  'a schema that someone else wrote, on the page on which tools are tried',
  (browser) => {
    test('a tool whose schema requires an argument `__proto__` changes nothing outside its form', async () => {
      const { page } = await openAs(browser(), gateway, ada);
      await page.goto('/app/try?family=tool&item=hostile');
      await start(page);
      await page.getByLabel('city').waitFor();
      expect(await page.evaluate(INHERITED)).toEqual([]);
      await press(page, 'Call (uses quota)');
      await page.getByRole('region', { name: 'Answer' }).getByText('Protocol error').waitFor();
      expect.soft(await page.evaluate(INHERITED)).toEqual([]);

      // Another tool, whose form has not been sent, shows no error.
      await page.getByRole('link', { name: 'plain' }).click();
      await page.getByRole('heading', { level: 2, name: 'plain' }).waitFor();
      const city = page.getByLabel('city');
      await city.waitFor();
      expect.soft(await city.getAttribute('aria-invalid')).not.toBe('true');
      expect.soft(await page.getByText('is required').count()).toBe(0);
    });

    test('arguments below `constructor` change nothing outside the form', async () => {
      const { page } = await openAs(browser(), gateway, ada);
      await page.goto('/app/try?family=tool&item=hostile_constructor');
      await start(page);
      await page.getByText('JSON', { exact: true }).click();
      await page.getByRole('textbox', { name: 'Arguments' }).fill('{"constructor": {}}');
      await press(page, 'Call (uses quota)');
      await page.getByRole('region', { name: 'Answer' }).getByText('Protocol error').waitFor();
      await page.getByText('Form', { exact: true }).click();
      await page.getByRole('textbox', { name: 'Arguments' }).waitFor({ state: 'detached' });
      await page
        .getByText(/^constructor/)
        .first()
        .waitFor();
      expect.soft(await page.evaluate(INHERITED)).toEqual([]);
      expect.soft(await page.evaluate('Object.keys(Object)')).toEqual([]);
    });
  },
);
