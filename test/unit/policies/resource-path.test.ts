import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isResourcePath, resourceUri } from '../../../src/policies/resource-path.ts';

const PREFIX = 'toolgate://me/';
const uriOf = (path: string) => resourceUri(PREFIX, path);

/** Returns the path whose exact URI this is, or null; resources are found by exact URI. */
function pathOf(uri: string): string | null {
  try {
    const path = decodeURIComponent(uri.slice(PREFIX.length));
    return isResourcePath(path) && uriOf(path) === uri ? path : null;
  } catch {
    return null;
  }
}
import { ResourceDraft } from '../../../src/content/resources/schema.ts';

const accepts = (path: string) => ResourceDraft.safeParse({ path, text: '' });

describe('a path', () => {
  test.each([
    ['a'],
    ['docs/a.md'],
    ['.env'],
    ['a..b/...'],
    ['a b/100%/#1?x=y'],
    ['app/[id]/{x}!.tsx'],
    ['日本/ä/🙂'],
    ['%2e%2e/a'],
    ['x'.repeat(1_024)],
    ['ä'.repeat(512)],
  ])('%j is accepted unchanged', (path) => {
    expect(accepts(path).data?.path).toBe(path);
  });

  test.each([
    [''],
    ['/'],
    ['/a'],
    ['a/'],
    ['a//b'],
    ['.'],
    ['..'],
    ['a/../b'],
    ['../a'],
    ['a/./b'],
    ['..\\a'],
    ['a\\b'],
    ['a\nb'],
    ['a\tb'],
    ['a\u0000b'],
    ['a\u007fb'],
    ['a\u0085b'],
    ['a\u2028b'],
    ['a\u202eb'],
    ['a\u200bb'],
    ['a\ufeffb'],
    ['a\ud800b'],
    ['a\u0378b'],
    ['x'.repeat(1_025)],
    ['ä'.repeat(513)],
  ])('%j is refused', (path) => {
    expect(accepts(path).success).toBe(false);
  });

  test('is normalized to one Unicode form (P17)', () => {
    const forms = ['e\u0301', '\u00e9'].map((path) => accepts(path).data?.path);

    expect(forms).toEqual(['é', 'é']);
  });
});

describe('a URI', () => {
  test('identifies exactly the path it was built from', () => {
    const unit = fc.oneof(
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }),
      fc.constantFrom('%', '/', '.', ' ', '#', '?', '+', '%2F'),
    );
    fc.assert(
      fc.property(fc.array(unit, { minLength: 1, maxLength: 8 }), (units) => {
        const path = units.join('').normalize('NFC');
        fc.pre(isResourcePath(path));
        expect(pathOf(uriOf(path))).toBe(path);
      }),
    );
  });

  test('has only one form', () => {
    const units = ['a', '%', '/', '.', '2', 'e', 'E', 'f', 'F', ' ', 'é'];
    const anyEnding = fc.string({ unit: fc.constantFrom(...units) });
    fc.assert(
      fc.property(anyEnding, (rest) => {
        const uri = `toolgate://me/${rest}`;
        const path = pathOf(uri);
        expect(path === null || uriOf(path) === uri).toBe(true);
      }),
    );
  });

  test.each([
    ['toolgate://me/docs%2Fa.md'],
    ['toolgate://me/docs/%61.md'],
    ['toolgate://me/docs/a%2emd'],
    ['toolgate://me/a%2fb'],
    ['toolgate://me/a b'],
    ['toolgate://me/ä'],
    ['toolgate://me/%c3%a4'],
    ['toolgate://me/%E4'],
    ['toolgate://me/%'],
    ['toolgate://me/%00'],
    ['toolgate://me/../me/a'],
    ['toolgate://me/%2e%2e/a'],
    ['toolgate://me/./a'],
    ['toolgate://me//a'],
    ['toolgate://me/a/'],
    ['toolgate://me/a?b'],
    ['toolgate://me/a#b'],
    ['toolgate://me/'],
    ['toolgate://me'],
    ['toolgate:/me/a'],
    ['Toolgate://me/a'],
    ['toolgate://ME/a'],
    ['toolgate://me:1/a'],
    ['toolgate://x@me/a'],
    ['toolgate://you/a'],
    [' toolgate://me/a'],
    ['file:///etc/passwd'],
    ['me/a'],
    ['a'],
    [''],
    [`toolgate://me/${'a'.repeat(10_000)}`],
  ])('%j is not the URI of a path', (uri) => {
    expect(pathOf(uri)).toBeNull();
  });

  test('of the longest path is recognized', () => {
    const path = '日'.repeat(341);

    expect(pathOf(uriOf(path))).toBe(path);
  });
});
