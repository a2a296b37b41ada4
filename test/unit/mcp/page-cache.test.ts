import { expect, test } from 'vitest';
import { createPageCache } from '../../../src/mcp/lists/page-cache.ts';

interface Item {
  name: string;
}

/** A page that counts how often its text was generated. */
class Page extends Array<Item> {
  renderings = 0;
  override map<To>(to: (one: Item, index: number, all: Item[]) => To): To[] {
    this.renderings += 1;
    return Array.from(this, (one, index) => to(one, index, this));
  }
}

const render = ({ name }: Item) => ({ name });

test('the text of a page is generated once for the same items', () => {
  const pages = createPageCache(render);
  const page = Page.from([{ name: 'one' }, { name: 'two' }]) as Page;

  const textOf = (items: readonly Item[]) => pages.bytesOf('a key', items).toString();

  const texts = [textOf(page), textOf(page)];
  const next = textOf(page.toSpliced(0, 1));

  expect(texts).toEqual(Array(2).fill('{"name":"one"},{"name":"two"}'));
  expect(next).toBe('{"name":"two"}');
  expect(page.renderings).toBe(1);
});

test('pages are cached per key and evicted by their size in bytes', () => {
  const pages = createPageCache(render, 100_000);
  const page = Page.from([{ name: 'x'.repeat(40_000) }]) as Page;
  for (const key of ['a', 'b', 'c']) pages.bytesOf(key, page);

  for (const key of ['b', 'c']) pages.bytesOf(key, page);
  expect(page.renderings).toBe(3);
  pages.bytesOf('a', page);

  expect(page.renderings).toBe(4);
});
