import { expect, test } from 'vitest';
import { createSecrets } from '../../../src/platform/secrets.ts';

const secrets = createSecrets('root-'.repeat(8));
const text = 'JBSWY3DPEHPK3PXP ü 🔑';

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
  const changed = Array.from(sealed.keys(), (at) => {
    const copy = Buffer.from(sealed);
    copy[at]! ^= 1;
    return copy;
  });
  const cut = [0, 5, 12, 20, 28, sealed.length - 1].map((end) => sealed.subarray(0, end));

  expect(() => secrets.decrypt('idp', 'ada', sealed)).toThrow();
  expect(() => secrets.decrypt('totp', 'ben', sealed)).toThrow();
  expect(() => createSecrets('other'.repeat(8)).decrypt('totp', 'ada', sealed)).toThrow();
  for (const broken of [...changed, ...cut])
    expect(() => secrets.decrypt('totp', 'ada', broken)).toThrow();
});
