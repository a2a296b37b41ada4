import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { auditPage } from '../../../src/audit/audit-page.ts';
import { actions } from '../../../src/caller/actions.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));

test('docs/audit.md matches the table of actions', async () => {
  await expect(auditPage()).toMatchFileSnapshot(`${root}docs/audit.md`);
});

const sources = globSync('src/**/*.ts', { cwd: root })
  .filter((file) => file !== 'src/caller/actions.ts')
  .map((file) => readFileSync(root + file, 'utf8'));

test.each(Object.keys(actions))('%s is recorded somewhere in the sources', (action) => {
  expect(sources.some((text) => text.includes(`'${action}'`))).toBe(true);
});
