import { describe, expect, test } from 'vitest';
import { createPasswords } from '../../../src/accounts/passwords.ts';

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
  ])('is judged, case %#', (password, fault) => {
    expect(passwords.judge(password, personal)).toBe(fault);
  });
});

test('a password matches its own hash and no other', async () => {
  const stored = await passwords.hash('correct horse battery staple');

  expect(stored).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  expect(await passwords.matches('correct horse battery staple', stored)).toBe(true);
  expect(await passwords.matches('correct horse battery stapl', stored)).toBe(false);
  expect(passwords.isDated(stored)).toBe(false);
  expect(passwords.isDated(stored.replace('t=2', 't=1'))).toBe(true);
});

test('a password is the same however it was composed', async () => {
  const stored = await passwords.hash('gr\u00fcne Lampe im Hafen');

  expect(await passwords.matches('gru\u0308ne Lampe im Hafen', stored)).toBe(true);
});

test('nothing matches where no hash is stored, nor an unusable one', async () => {
  expect(await passwords.matches('', null)).toBe(false);
  expect(await passwords.matches('anything at all', null)).toBe(false);
  expect(await passwords.matches('anything at all', passwords.unusable())).toBe(false);
});

test('the hundred and fifth hash at once is refused, the others are answered', async () => {
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
