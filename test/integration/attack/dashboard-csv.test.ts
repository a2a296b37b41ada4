import { expect, test } from 'vitest';
import { createKey, signUp } from '../../support/people/people.ts';
import { useGateway } from '../../support/worlds/use-gateway.ts';

const { world, gateway } = await useGateway();
const ada = await signUp(world, gateway);

test('a spreadsheet takes no cell of an exported file for a formula, whichever separator its language uses', async () => {
  await createKey(ada, { name: 'x;=HYPERLINK("https://evil.example","Open");y' });
  await createKey(ada, { name: 'x;=1+1;y' });
  const response = await fetch(`${gateway.url}/api/me/audit?format=csv`, { headers: ada.bearer });
  const text = await response.text();
  expect(text).toContain('=1+1');
  // Languages with a decimal comma separate by semicolons: Excel reads the same file so.
  const cells = text.split('\r\n').flatMap((line) => line.split(';'));
  expect(cells.filter((cell) => /^[=+\-@]/.test(cell))).toEqual([]);
});
