import type { Page } from 'playwright-core';
import { askAs } from './organizations.ts';
import type { SignedUp } from './people.ts';

const BOOKING = {
  type: 'object',
  properties: {
    day: { type: 'string', format: 'date', title: 'Day' },
    nights: { type: 'integer', minimum: 1, default: 2 },
    breakfast: { type: 'boolean', description: 'With breakfast.' },
    room: { enum: ['single', 'double'] },
    guests: {
      type: 'array',
      items: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
    },
    contact: { $ref: '#/$defs/contact' },
    pays: {
      oneOf: [
        { type: 'string', title: 'Card' },
        { type: 'number', title: 'Cash' },
      ],
    },
  },
  required: ['room', 'guests'],
  $defs: { contact: { type: 'object', properties: { email: { type: 'string' } } } },
};

/** Adds a tool that nothing says to be harmless, one with a nested schema, a prompt and a resource. */
export async function addItems(who: SignedUp): Promise<void> {
  const add = async (path: string, body: object) => {
    const { status } = await askAs(who, { path, body });
    if (status !== 201) throw new Error(`${path}: ${status}`);
  };
  await add('/api/me/custom-tools', {
    ...{ name: 'book', description: 'Books.', kind: 'http', input_schema: BOOKING },
    annotations: { readOnlyHint: true },
    http: { method: 'GET', url: 'https://book.invalid/' },
  });
  await add('/api/me/resources', { path: 'notes/one', text: 'First line.' });
  await add('/api/me/prompts', {
    ...{ name: 'greet', arguments: [{ name: 'who', required: true }] },
    messages: [{ role: 'user', content: 'Greet {{who}}.' }],
  });
  // Nothing says that it is harmless.
  await add('/api/me/custom-tools', {
    ...{ name: 'wipe', description: 'Wipes.', kind: 'http' },
    input_schema: { type: 'object', properties: {} },
    http: { method: 'POST', url: 'https://wipe.invalid/all' },
  });
}

/** Allows the page in its window, and returns the answer of the token endpoint. */
export async function start(page: Page, decide = (window: Page) => press(window, 'Allow')) {
  const opened = page.waitForEvent('popup');
  const answered = page.waitForResponse(/\/oauth\/token$/, { timeout: 60_000 });
  await page.getByRole('button', { name: 'Allow and start' }).click();
  const window = await opened;
  await decide(window);
  const answer = (await (await answered).json()) as Record<string, unknown>;
  await page.getByRole('button', { name: 'End', exact: true }).waitFor();
  return answer;
}

export const press = (page: Page, name: string) =>
  page.getByRole('button', { name, exact: true }).click();

export const answerOf = (page: Page) => page.getByRole('region', { name: 'Answer' });
export const returned = async (page: Page) =>
  JSON.parse(await page.getByLabel('The answer exactly as returned').innerText());
