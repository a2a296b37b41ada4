import { expect, test } from 'vitest';
import { filterTools } from '../../../src/content/followed/filter.ts';
import { toolNameOf } from '../../../src/content/followed/tool-name.ts';
import { createImportUpstreams } from '../../../src/content/upstream-documents/import-upstreams.ts';
import { serverOf } from '../../../src/content/tools/openapi/servers.ts';
import { withoutEnds } from '../../../src/platform/text/without-ends.ts';
import { heldShare } from '../../support/longest-turn.ts';

const between = (character: string, count = 200_000) => `a${character.repeat(count)}b`;

const importUpstreams = createImportUpstreams({
  create: () => Promise.reject(new Error('not expected')),
});
const importNamed = (name: string) =>
  importUpstreams(
    { id: 'space' } as never,
    { document: { servers: { [name]: { url: '' } } }, variables: {} },
    {} as never,
  );
const serverAt = (url: string) =>
  serverOf({
    ...{ operation: { servers: [{ url }] }, path: {}, document: { root: {}, url: undefined } },
  } as never);

test.each<[string, () => unknown]>([
  ['a tool’s name with many underscores', () => toolNameOf('x', between('_'))],
  ['a server’s name with many hyphens', () => importNamed(between('-'))],
  ['a server’s URL with many slashes', () => serverAt(`https://example.com/${between('/')}`)],
])('%s takes time in proportion to its length', async (_what, work) => {
  expect(await heldShare(async () => work())).toBeLessThan(1);
});

const tool = (name: string) => ({
  ...{ name, title: null, description: '', input_schema: {}, output_schema: null },
  ...{ annotations: {}, pin: '' },
});
const patterns = Array.from({ length: 10 }, (_, index) => `${'*a'.repeat(250)}b${index}`);

test.each([
  ['many names', Array.from({ length: 500 }, (_, index) => tool(`${'a'.repeat(496)}${index}`))],
  ['a long name', [tool('a'.repeat(1_900_000))]],
])('a filter of many patterns compares %s in turns', { timeout: 60_000 }, async (_what, tools) => {
  const filtering = () => filterTools(tools, { except: patterns }, 'space');

  expect(await filtering()).toEqual(tools);
  expect(await heldShare(filtering)).toBeLessThan(1);
});

test.each([
  ['__a__b__', 'a__b'],
  ['____', ''],
  ['', ''],
  ['a', 'a'],
])('of %j, the ends are taken', (text, expected) => {
  expect(withoutEnds(text, '_')).toBe(expected);
});
