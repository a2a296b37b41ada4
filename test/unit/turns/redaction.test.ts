import { expect, test } from 'vitest';
import { createRedaction } from '../../../src/content/tools/redaction.ts';
import { heldShare } from '../../support/longest-turn.ts';

const MEGABYTE = 1_048_576;
const MAX_SECRET = 8_192;
const secretsOf = (make: (index: number) => string) => Array.from({ length: 3 }, (_, i) => make(i));
const repeated = (text: string) => text.repeat(MEGABYTE / text.length);
const ending = (index: number) => String.fromCharCode(0x4e00 + index);

test.each<[name: string, secrets: string[], body: unknown]>([
  ['ordinary text', ['tk-41c5b7'], repeated('An ordinary text. ')],
  ['a secret of one letter in a text of it', ['a'.repeat(MAX_SECRET)], repeated('a')],
  ['a secret that differs at its end', [`${'a'.repeat(MAX_SECRET - 1)}b`], repeated('a')],
  ['a secret that differs at its start', [`b${'a'.repeat(MAX_SECRET - 1)}`], repeated('a')],
  ['many long secrets', secretsOf((index) => 'a'.repeat(8_000) + ending(index)), repeated('a')],
  [
    'many long secrets in other letters',
    secretsOf((i) => ending(i).repeat(MAX_SECRET)),
    repeated('a'),
  ],
  ['many short secrets', secretsOf((index) => `aaaaa${ending(index)}`), repeated('aaaaaa一')],
  ['a short secret again and again', ['secret'], repeated('secret-')],
  ['many strings', secretsOf((i) => `aaaaa${ending(i)}`), Array(100_000).fill('aaaaaa')],
  ['many arrays', ['tk-41c5b7'], Array.from({ length: 100_000 }, () => [])],
])('redaction holds the event loop no longer than one turn: %s', async (_name, secrets, body) => {
  const redaction = createRedaction(secrets, 'owner');

  const share = await heldShare(() =>
    typeof body === 'string' ? redaction.text(body) : redaction.json(body),
  );

  expect(share).toBeLessThan(1);
});
