import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const folder = fileURLToPath(new URL('../../../src/dashboard/', import.meta.url));
const read = (file: string) => readFileSync(join(folder, file), 'utf8');

const areaOf = new Map(
  globSync('texts/en/*.json', { cwd: folder }).flatMap((file) =>
    Object.keys(JSON.parse(read(file)) as object).map(
      (section) => [section, file.slice('texts/en/'.length, -'.json'.length)] as const,
    ),
  ),
);

/** Returns the modules that a module imports, with those that they import. */
function importsOf(file: string, found = new Set<string>()): Set<string> {
  if (found.has(file)) return found;
  found.add(file);
  for (const [, path] of read(file).matchAll(
    /^(?:import|export)(?! type)[^;]*? from '(\.[^']+)'/gms,
  )) {
    const imported = normalize(join(dirname(file), path!));
    const isOurs = !imported.startsWith('..') && /\.tsx?$/.test(imported);
    if (isOurs && !/^texts\/|routes\.tsx$/.test(imported) && existsSync(join(folder, imported)))
      importsOf(imported, found);
  }
  return found;
}

/** Returns the areas whose texts a page names, itself or in what it shows. */
function areasOf(page: string): string[] {
  const areas = [...importsOf(page)].flatMap((file) =>
    [...read(file).matchAll(/['"`]([a-z_]+)\.[a-z_$]/g)].map(([, section]) => areaOf.get(section!)),
  );
  return [...new Set(areas)].filter((area) => area !== undefined);
}

test('every page loads the texts that it shows', () => {
  const missing: string[] = [];
  const routes = globSync('*/routes.tsx', { cwd: folder });
  expect(routes.length).toBeGreaterThan(10);
  for (const file of routes) {
    const text = read(file);
    const [, declared = ''] = /pagesWith\(([^)]*)\)/.exec(text) ?? [];
    for (const [, path] of text.matchAll(/import\(\s*'([^']+)'/g)) {
      const page = normalize(join(dirname(file), path!));
      for (const area of areasOf(page))
        if (!['frame', 'accounts'].includes(area) && !declared.includes(`'${area}'`))
          missing.push(`${page} needs the texts of ${area}`);
    }
  }
  expect(missing).toEqual([]);
});

test('a section of texts has one area', () => {
  const files = globSync('texts/en/*.json', { cwd: folder });
  const sections = files.flatMap((file) => Object.keys(JSON.parse(read(file)) as object));
  expect(new Set(sections).size).toBe(sections.length);
});
