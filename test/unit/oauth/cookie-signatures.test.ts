import { expect, test } from 'vitest';
import { createCookieSignatures } from '../../../src/oauth/server/cookie-signatures.ts';
import { createSecrets } from '../../../src/platform/secrets.ts';

const [OLD, NEW] = ['old-root-', 'new-root-'].map((text) => text.repeat(4)) as [string, string];
const signaturesBy = (root: string, ...fallbacks: string[]) =>
  createCookieSignatures(createSecrets(root, { fallbacks }).subkeys('oauth-cookie'));

test('a cookie stays signed while SECRETS_KEY is rotated, and no longer', () => {
  const cookie = '_interaction=abc';
  const signature = signaturesBy(OLD).sign(cookie);
  const during = signaturesBy(NEW, OLD);
  expect(during.verify(cookie, signature)).toBe(true);
  expect(during.index(cookie, signature)).toBe(0);
  expect(during.sign(cookie)).not.toBe(signature);
  expect(signaturesBy(NEW).index(cookie, signature)).toBe(-1);
});

test('a signature is of one cookie alone', () => {
  const signatures = signaturesBy(OLD);
  const signature = signatures.sign('_interaction=abc');
  for (const other of ['_interaction=abd', '_interaction_resume=abc', ''])
    expect(signatures.verify(other, signature)).toBe(false);
  expect(signatures.verify('_interaction=abc', '')).toBe(false);
});
