import { expect, test } from 'vitest';
import { createDecryptedCache } from '../../../src/platform/decrypted-cache.ts';

/** Reads through a cache, and counts how often a value is decrypted. */
function createCounted() {
  const readDecrypted = createDecryptedCache<{ secret: string }>();
  let decryptions = 0;
  return {
    read: (key: string, version: object, secret: string) =>
      readDecrypted(key, version, async () => {
        decryptions += 1;
        return { value: { secret }, size: secret.length };
      }),
    decryptions: () => decryptions,
  };
}

test('a secret is decrypted once for each version', async () => {
  const { read, decryptions } = createCounted();
  const [first, second] = [{}, {}];

  await read('one', first, 'a');
  expect(await read('one', first, 'never read')).toEqual({ secret: 'a' });
  expect(await read('one', second, 'b')).toEqual({ secret: 'b' });

  expect(decryptions()).toBe(2);
});

test('what was decrypted of a version ends with the next one', async () => {
  const { read, decryptions } = createCounted();
  const [first, second] = [{}, {}];

  await read('one', first, 'a');
  await read('one', second, 'b');
  await read('one', first, 'a');

  expect(decryptions()).toBe(3);
});

test('a secret that cannot be read is tried again', async () => {
  const readDecrypted = createDecryptedCache<{ secret: string }>();
  const version = {};
  const failing = readDecrypted('one', version, () => Promise.reject(new Error('unreadable')));
  await expect(failing).rejects.toThrow('unreadable');

  const read = readDecrypted('one', version, async () => ({ value: { secret: 'a' }, size: 1 }));

  expect(await read).toEqual({ secret: 'a' });
});

test('secrets that are too many for the memory are decrypted again, not kept', async () => {
  const { read, decryptions } = createCounted();
  const versions = [{}, {}, {}];
  const long = 'x'.repeat(3_000_000);
  for (const [index, version] of versions.entries()) await read(`key ${index}`, version, long);

  await read('key 0', versions[0]!, long);

  expect(decryptions()).toBe(4);
});
