import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { knownClients } from './clients-page.ts';

const page = new URL('../../../docs/oauth-clients.md', import.meta.url).pathname;
const HEADING = '## Known clients\n';

test('docs/oauth-clients.md has a section for each known client', async () => {
  const text = await readFile(page, 'utf8');
  const written = text.slice(0, text.indexOf(HEADING) + HEADING.length);

  await expect(`${written}\n${knownClients()}\n`).toMatchFileSnapshot(page);
});
