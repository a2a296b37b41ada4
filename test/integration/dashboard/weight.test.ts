import { globSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { DASHBOARD_FOLDER } from '../../../stack/dashboard.ts';

/** Bytes of files that a browser receives for a page, with an empty cache; compressed by brotli. */
const LIMIT = 250_000;

interface Entry {
  file: string;
  css?: string[];
  imports?: string[];
}

const source = fileURLToPath(new URL('../../../src/dashboard/', import.meta.url));
const manifest = JSON.parse(
  readFileSync(join(DASHBOARD_FOLDER, '.vite/manifest.json'), 'utf8'),
) as Record<string, Entry>;

/** Returns the entry of a module; a page that another one imports has no entry of its own. */
function entryOf(name: string): Entry {
  const shared = `_${basename(name, '.tsx')}-`;
  const found =
    manifest[name] ?? manifest[Object.keys(manifest).find((one) => one.startsWith(shared)) ?? ''];
  if (found === undefined) throw new Error(`${name} is not in the manifest`);
  return found;
}

/** Returns the files that an entry loads before it runs. */
function filesOf(name: string, found = new Set<string>()): Set<string> {
  const { file, css = [], imports = [] } = entryOf(name);
  if (found.has(file)) return found;
  for (const one of [file, ...css]) found.add(one);
  for (const one of imports) filesOf(one, found);
  return found;
}

const weigh = (names: string[]): number =>
  [...new Set(names.flatMap((name) => [...filesOf(name)]))]
    .map((file) => statSync(join(DASHBOARD_FOLDER, `${file}.br`)).size)
    .reduce((sum, bytes) => sum + bytes, 0);

const textsOf = (areas: string[]) => areas.map((area) => `texts/en/${area}.json`);

/** Returns each page that a file of routes loads, with the texts that it loads too. */
function pagesOf(routes: string): [page: string, texts: string[]][] {
  const text = readFileSync(join(source, routes), 'utf8');
  const [, areas = ''] = /pagesWith\(([^)]*)\)/.exec(text) ?? [];
  const texts = textsOf([...areas.matchAll(/'(\w+)'/g)].map(([, area]) => area!));
  return [...text.matchAll(/import\(\s*'([^']+)'/g)].map(([, path]) => [
    normalize(join(dirname(routes), path!)),
    texts,
  ]);
}

test('the first load of any page takes at most 250 kB', () => {
  const frame = Object.keys(manifest).filter((name) => /^index\.html$|^_frame-.*js$/.test(name));
  expect(frame).toHaveLength(1);
  frame.push(...textsOf(['frame', 'accounts']));
  const pages = globSync('*/routes.tsx', { cwd: source }).flatMap(pagesOf);
  const weights = pages.map(([page, texts]) => [page, weigh([...frame, page, ...texts])] as const);
  expect(weights.length).toBeGreaterThan(40);
  expect(weights.filter(([, bytes]) => bytes > LIMIT)).toEqual([]);
});
