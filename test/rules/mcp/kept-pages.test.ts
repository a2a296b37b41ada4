import { expect, test } from 'vitest';
import { createKeptPages } from '../../../src/mcp/lists/kept-pages.ts';

interface One {
  name: string;
}

/** A page that tells how often its text was put together. */
class Page extends Array<One> {
  made = 0;
  override map<To>(to: (one: One, index: number, all: One[]) => To): To[] {
    this.made += 1;
    return Array.from(this, (one, index) => to(one, index, this));
  }
}

const shown = ({ name }: One) => ({ name });

test('a page is put together again only for other items', () => {
  const pages = createKeptPages(shown);
  const page = Page.from([{ name: 'one' }, { name: 'two' }]) as Page;

  const textOf = (of: readonly One[]) => pages.bytesOf('a key', of).toString();

  const texts = [textOf(page), textOf(page)];
  const next = textOf(page.toSpliced(0, 1));

  expect(texts).toEqual(Array(2).fill('{"name":"one"},{"name":"two"}'));
  expect(next).toBe('{"name":"two"}');
  expect(page.made).toBe(1);
});

test('pages are kept by their bytes, however many keys ask for them', () => {
  const pages = createKeptPages(shown, 100_000);
  const page = Page.from([{ name: 'x'.repeat(40_000) }]) as Page;
  for (const key of ['a', 'b', 'c']) pages.bytesOf(key, page);

  for (const key of ['b', 'c']) pages.bytesOf(key, page);
  expect(page.made).toBe(3);
  pages.bytesOf('a', page);

  expect(page.made).toBe(4);
});
