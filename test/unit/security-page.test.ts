import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
const page = readFileSync(`${root}docs/security.md`, 'utf8');
const named = [...new Set([...page.matchAll(/`([\w./-]+)`/g)].map(([, name]) => name!))];
const tests = named.filter((name) => name.endsWith('.test.ts'));
const sources = named.filter((name) => /^[a-z-]+\/[\w/.-]+$/.test(name) && !tests.includes(name));

test('docs/security.md names tests and sources', () => {
  expect([tests.length > 15, sources.length > 15]).toEqual([true, true]);
});

test.each(tests)('the test %s of docs/security.md exists', (name) => {
  expect(existsSync(`${root}test/integration/${name}`)).toBe(true);
});

test.each(sources.filter((name) => !/^(?:migrations|test)\//.test(name)))(
  'the source %s of docs/security.md exists',
  (name) => {
    expect(existsSync(`${root}src/${name}`)).toBe(true);
  },
);
