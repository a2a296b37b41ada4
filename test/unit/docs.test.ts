import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const pages = globSync(['*.md', 'docs/**/*.md'], { cwd: root });

const LINK = /\[[^\]]*\]\(([^)\s]+)\)/g;
const withoutCode = (text: string) =>
  text.replaceAll(/^```[\s\S]*?^```/gm, '').replaceAll(/`[^`\n]*`/g, '');

/** Returns the anchors of a page: explicit ones and those that GitHub derives from headings. */
function anchorsOf(text: string): Set<string> {
  const headings = [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading]) =>
    heading!
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
  const explicit = [...text.matchAll(/<a id="([^"]+)">/g)].map(([, id]) => id!);
  return new Set([...headings, ...explicit]);
}

test.each(pages)('every link of %s leads to an existing file and anchor', (page) => {
  const broken = [...withoutCode(read(page)).matchAll(LINK)]
    .map(([, target]) => target!)
    .filter((target) => !/^[a-z]+:/.test(target))
    .filter((target) => {
      const [file, anchor] = target.split('#');
      const path = file === '' ? page : normalize(join(dirname(page), file!));
      if (!existsSync(join(root, path))) return true;
      return anchor !== undefined && !anchorsOf(read(path)).has(anchor);
    });

  expect(broken).toEqual([]);
});

// RE2 is the regular expression engine, not a rule.
const ID = String.raw`(?!RE2\b)(?:[A-Z]{1,2}\d+(?:-\d+)?|F-[A-Z]+\d+)`;
// `(K1)`, `(rel:B4-4, S8)`, `(rel:K5…K10)`: parentheses that contain only ids.
const CITATION = new RegExp(String.raw`\(((?:rel:)?${ID}(?:(?:, ?|…)(?:rel:)?${ID})*)\)`, 'g');
const citingFiles = globSync(
  ['{src,stack,test}/**/*.{ts,mjs,lua}', 'migrations/*.sql', 'docs/**/*.md'],
  {
    cwd: root,
    exclude: ['**/node_modules/**'],
  },
);

/** Returns the ids a text cites; in a list, a `rel:` prefix applies to all ids after it. */
function citedIn(text: string): { id: string; isReliability: boolean }[] {
  return [...text.matchAll(CITATION)].flatMap(([, list]) => {
    let isReliability = false;
    return list!.split(/, ?|…/).map((part) => {
      isReliability ||= part.startsWith('rel:');
      return { id: part.replace(/^rel:/, ''), isReliability };
    });
  });
}

test('every cited rule is in docs/rules.md', () => {
  const anchors = anchorsOf(read('docs/rules.md'));
  const unknown = citingFiles.flatMap((path) =>
    citedIn(read(path))
      .filter(({ id, isReliability }) => {
        const name = id.toLowerCase();
        // `rel:B1` means all rows `rel:B1-…`.
        const isGroup = anchors.values().some((anchor) => anchor.startsWith(`rel-${name}-`));
        const isThere = anchors.has(`rel-${name}`) || isGroup;
        return !isThere && (isReliability || !anchors.has(name));
      })
      .map(({ id }) => `${path}: ${id}`),
  );

  expect(unknown).toEqual([]);
});

test('citations are found, including one of a missing rule', () => {
  const cited = citingFiles.flatMap((path) => citedIn(read(path)));
  const absent = 'K99';

  expect(cited.length).toBeGreaterThan(300);
  expect(citedIn(`refused whole (rel:B4-4, S8), or not (${absent})`)).toEqual([
    { id: 'B4-4', isReliability: true },
    { id: 'S8', isReliability: true },
    { id: absent, isReliability: false },
  ]);
  expect(anchorsOf(read('docs/rules.md')).has(absent.toLowerCase())).toBe(false);
});
