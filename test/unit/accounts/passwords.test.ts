import { describe, expect, test } from 'vitest';
import { findPasswordProblem } from '../../../src/accounts/passwords/password-rules.ts';
import { createPasswords } from '../../../src/accounts/passwords/passwords.ts';

const passwords = createPasswords();
const personal = ['ada.lovelace@example.com', 'Ada', 'Lovelace', 'Ada Lovelace'];

describe('a new password (rel:B4-6)', () => {
  test.each<[password: string, fault: string | null]>([
    ['eleven char', 'short'],
    ['\u{1f511}'.repeat(11), 'short'],
    ['correct horse battery staple '.repeat(5), 'long'],
    ['x'.repeat(1_000_000), 'long'],
    ['aaaaaaaaaaaaaaaa', 'guessable'],
    ['1234567890'.repeat(12), 'guessable'],
    ['password12345', 'guessable'],
    ['p4$$w0rdp@ssw0rd', 'guessable'],
    ['qwertyuiopasdf', 'guessable'],
    ['ada.lovelace@example.com', 'guessable'],
    ['Ada Lovelace', 'guessable'],
    ['adalovelace1', 'guessable'],
    ['correct horse battery staple', null],
    ['Tq7#mirlon-vexed', null],
    ['\u{1f511}\u{1f98a}\u{1f355}vortex-lamp', null],
    ['lantern-orbit-velvet-'.padEnd(128, 'zk3'), null],
  ])('is checked for length and strength, case %#', async (password, fault) => {
    expect(await passwords.findIssue(password, personal)).toBe(fault);
  });
});

test("a password is checked against the account's names and e-mail address", async () => {
  let against: readonly string[] = [];
  const person = { email: 'ada@example.com', first_name: 'Ada', last_name: 'Lovelace' };

  await findPasswordProblem(
    async (_password, words) => {
      against = words;
      return null;
    },
    'any',
    person,
  );

  expect(against).toEqual(['ada@example.com', 'Ada', 'Lovelace', 'Ada Lovelace']);
});

test('a strength check uses at most 12 words of the names and 32 characters of the password', async () => {
  const words = Array.from({ length: 40 }, (_, n) => `zq${'bcdfghjklmnpqrstvwxz'[n % 20]}v${n}xk`);
  const judge = (word: string) => passwords.findIssue(word.repeat(2), [words.join(' ')]);

  expect(await judge(words[2]!)).toBe('guessable');
  expect(await judge(words[30]!)).toBe(null);
  expect(await passwords.findIssue(`${'a'.repeat(32)}Tq7#mirlon-vexed`, [])).toBe('guessable');
});

test('a password matches its own hash and no other', async () => {
  const stored = await passwords.hash('correct horse battery staple');

  expect(stored).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  expect(await passwords.matches('correct horse battery staple', stored)).toBe(true);
  expect(await passwords.matches('correct horse battery stapl', stored)).toBe(false);
  expect(passwords.isOutdated(stored)).toBe(false);
  expect(passwords.isOutdated(stored.replace('t=2', 't=1'))).toBe(true);
});

test('a password matches in composed and decomposed Unicode', async () => {
  const stored = await passwords.hash('gr\u00fcne Lampe im Hafen');

  expect(await passwords.matches('gru\u0308ne Lampe im Hafen', stored)).toBe(true);
});

test('no password matches a missing or an unusable hash', async () => {
  expect(await passwords.matches('', null)).toBe(false);
  expect(await passwords.matches('anything at all', null)).toBe(false);
  expect(await passwords.matches('anything at all', passwords.unusable())).toBe(false);
});

test('the first of 105 concurrent hashes complete, and the last is refused', async () => {
  const results = await Promise.allSettled(
    Array.from({ length: 105 }, () => passwords.matches('x', null)),
  );

  const refused = results.filter((result) => result.status === 'rejected');
  expect(refused.length).toBeGreaterThanOrEqual(1);
  expect(results.at(-1)).toMatchObject({
    status: 'rejected',
    reason: { kind: 'unavailable', code: 'service_unavailable' },
  });
  expect(results.slice(0, 4).map((result) => result.status)).toEqual(Array(4).fill('fulfilled'));
});
