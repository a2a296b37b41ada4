import { describe, expect, test } from 'vitest';
import { createSecrets, keyIdOf } from '../../../src/platform/secrets.ts';

const [root, oldRoot, otherRoot] = ['root-', 'older', 'other'].map((text) => text.repeat(8));
const secrets = createSecrets(root!);
const old = createSecrets(oldRoot!);
const text = 'JBSWY3DPEHPK3PXP ü 🔑';
const unreadable = expect.objectContaining({ kind: 'unprocessable', code: 'secret_unreadable' });

test('a ciphertext decrypts for its label and owner, and no two are equal', () => {
  const [one, other] = [secrets.encrypt('totp', 'ada', text), secrets.encrypt('totp', 'ada', text)];

  expect([one, other].map((sealed) => secrets.decrypt('totp', 'ada', sealed))).toEqual([
    text,
    text,
  ]);
  expect(one.equals(other)).toBe(false);
  expect(one.includes(Buffer.from('JBSWY3DP'))).toBe(false);
});

test('decryption fails for another label, owner or root, a changed bit or a missing byte', () => {
  const sealed = secrets.encrypt('totp', 'ada', text);
  const changed = Array.from(sealed.keys(), (index) => {
    const copy = Buffer.from(sealed);
    copy[index]! ^= 1;
    return copy;
  });
  const cut = [0, 5, 8, 19, 20, 28, 36, sealed.length - 1].map((end) => sealed.subarray(0, end));

  expect(() => secrets.decrypt('idp', 'ada', sealed)).toThrow(unreadable);
  expect(() => secrets.decrypt('totp', 'ben', sealed)).toThrow(unreadable);
  expect(() => old.decrypt('totp', 'ada', sealed)).toThrow(unreadable);
  for (const broken of [...changed, ...cut])
    expect(() => secrets.decrypt('totp', 'ada', broken)).toThrow(unreadable);
});

describe('a key id', () => {
  test('begins each ciphertext, is the same in every process and differs between keys', () => {
    const ids = [root!, oldRoot!, otherRoot!].map((key) => createSecrets(key).keyIds[0]);

    expect(keyIdOf(secrets.encrypt('totp', 'ada', text))).toBe(ids[0]);
    expect(keyIdOf(secrets.encrypt('tool-secret', 'ben', ''))).toBe(ids[0]);
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{16}$/);
    expect(new Set(ids).size).toBe(3);
    expect(createSecrets(root!).keyIds).toEqual([ids[0]]);
    expect(createSecrets(root!, { fallbacks: [otherRoot!, oldRoot!] }).keyIds).toEqual([
      ids[0],
      ids[2],
      ids[1],
    ]);
  });

  test('is not a prefix of a subkey, so it reveals no part of one', () => {
    const labels = ['totp', 'tool-secret', 'upstream-headers', 'session-jwt', 'mail/link'];

    for (const label of labels)
      expect(keyIdOf(secrets.subkeys(label)[0])).not.toBe(secrets.keyIds[0]);
  });
});

describe('while the key is rotated', () => {
  const both = createSecrets(root!, { fallbacks: [otherRoot!, oldRoot!] });

  test('ciphertext of every fallback decrypts, and new ciphertext uses the current key', () => {
    for (const one of [old, createSecrets(otherRoot!), secrets])
      expect(both.decrypt('totp', 'ada', one.encrypt('totp', 'ada', text))).toBe(text);
    expect(secrets.decrypt('totp', 'ada', both.encrypt('totp', 'ada', text))).toBe(text);
  });

  test('the subkeys of a purpose are the current one, followed by those of the fallbacks', () => {
    expect(both.subkeys('captcha')).toEqual(
      [secrets, createSecrets(otherRoot!), old].map((one) => one.subkeys('captcha')[0]),
    );
  });

  test('re-encryption keeps label, owner and text, and moves to the current key', () => {
    const moved = both.reencrypt('totp', 'ada', old.encrypt('totp', 'ada', text))!;

    expect(secrets.decrypt('totp', 'ada', moved)).toBe(text);
    expect(() => secrets.decrypt('totp', 'ben', moved)).toThrow(unreadable);
  });

  test('ciphertext that cannot be decrypted is not re-encrypted', () => {
    const sealed = old.encrypt('totp', 'ada', text);

    expect(secrets.reencrypt('totp', 'ada', sealed)).toBeNull();
    expect(both.reencrypt('totp', 'ben', sealed)).toBeNull();
  });
});

test('the reported reason has the id of a missing key, or says that the ciphertext is damaged, and contains no secret', () => {
  const reasons: string[] = [];
  const both = createSecrets(root!, {
    fallbacks: [otherRoot!],
    onUnreadable: (reason) => void reasons.push(reason),
  });

  expect(() => both.decrypt('totp', 'ada', old.encrypt('totp', 'ada', text))).toThrow(unreadable);
  expect(() => both.decrypt('totp', 'ada', both.encrypt('totp', 'ben', text))).toThrow(unreadable);

  expect(reasons).toEqual([
    expect.stringMatching(
      new RegExp(`^a stored totp .* key ${old.keyIds[0]} is neither SECRETS_KEY`),
    ),
    expect.stringMatching(
      new RegExp(`^a stored totp .* \\(key ${secrets.keyIds[0]}\\) is damaged`),
    ),
  ]);
});
