import { expect, test } from 'vitest';
import { createBoundedCache } from '../../../src/platform/bounded-cache.ts';

const keys = ['a', 'b', 'c', 'd'];

function cacheOf(most: number) {
  const cache = createBoundedCache<string>(most);
  return { ...cache, has: () => keys.filter((key) => cache.get(key) !== undefined).join('') };
}

test('what was not used makes room for what weighs too much together', () => {
  const cache = cacheOf(10);
  cache.set('a', 'one', 4);
  cache.set('b', 'two', 4);
  cache.get('a');

  cache.set('c', 'three', 5);

  expect(cache.has()).toBe('ac');
});

test('one heavy value sends away as many as it weighs, and no more', () => {
  const cache = cacheOf(10);
  for (const key of ['a', 'b', 'c']) cache.set(key, key, 3);

  cache.set('d', 'heavy', 6);

  expect(cache.has()).toBe('cd');
});

test('a key has one value, which weighs what it was last said to', () => {
  const cache = cacheOf(10);
  cache.set('a', 'light', 1);
  cache.set('a', 'heavier', 6);
  cache.set('a', 'light again', 2);
  cache.set('b', 'two', 8);

  expect(cache.get('a')).toBe('light again');
  expect(cache.has()).toBe('ab');
});

test('what is deleted weighs nothing', () => {
  const cache = cacheOf(10);
  cache.set('a', 'one', 9);
  cache.delete('a');
  cache.delete('a');
  cache.set('b', 'two', 5);
  cache.set('c', 'three', 5);

  expect(cache.has()).toBe('bc');
});

test('a value heavier than all others together sends none of them away', () => {
  const cache = cacheOf(10);
  cache.set('a', 'one', 5);

  cache.set('b', 'too heavy', 11);
  cache.set('a', 'too heavy', 11);

  expect(cache.has()).toBe('');
  cache.set('c', 'three', 10);
  expect(cache.has()).toBe('c');
});

test('what is all in use makes room too, and is passed over once', () => {
  const cache = cacheOf(10);
  cache.set('a', 'one', 5);
  cache.set('b', 'two', 5);
  expect(cache.has()).toBe('ab');

  cache.set('c', 'three', 5);
  expect(cache.weight()).toBe(10);
  cache.set('d', 'four', 5);

  expect(cache.has()).toBe('cd');
});

test('a large cache in use makes room without going through all of it', () => {
  const cache = createBoundedCache<number>(100_000);
  for (let key = 0; key < 100_000; key += 1) cache.set(String(key), key, 1);
  for (let key = 0; key < 100_000; key += 1) cache.get(String(key));

  cache.set('new', -1, 1);

  expect(cache.get('new')).toBe(-1);
  expect(cache.weight()).toBe(100_000);
  // The thousand before it were passed over, the next one was not.
  expect(cache.get('999')).toBe(999);
  expect(cache.get('1000')).toBeUndefined();
});
