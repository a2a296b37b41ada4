import { expect, test } from 'vitest';
import type { ToolContext } from '../../../src/catalog/tool.ts';
import { readResponse } from '../../../src/content/tools/http-response.ts';
import { createRedaction } from '../../../src/content/tools/redaction.ts';
import { heldShare } from '../../support/longest-turn.ts';

const list = <T>(length: number, make: (index: number) => T) =>
  Array.from({ length }, (_, i) => make(i));
const redaction = createRedaction(['tk-41c5b7'], 'owner');
const context = {} as ToolContext;
const textOf = (body: unknown) => (typeof body === 'string' ? body : JSON.stringify(body));
const read = (body: unknown) =>
  readResponse(
    {
      status: 200,
      headers: { 'content-type': 'application/json' },
      body: Buffer.from(textOf(body)),
      url: 'https://api.example/',
    },
    { format: 'auto', query: null },
    { redaction, context },
  );
const ordinary = list(2_000, (id) => ({ id, name: `item ${id}`, owner: { id, tags: ['a', 'b'] } }));

test.each<[name: string, body: (run: number) => unknown]>([
  ['an ordinary list', () => ordinary],
  [
    'an object with many keys',
    (run) => Object.fromEntries(list(95_000, (i) => [`${run}k${i}`, 1])),
  ],
  ['many objects with one key', (run) => list(60_000, (index) => ({ [`${run}k${index}`]: 1 }))],
  [
    'many objects with the most keys that are allowed',
    (run) => list(9_900, (index) => ({ [`${run}k${index}`]: 1 })),
  ],
  ['many arrays', () => `[${'[],'.repeat(340_000)}0]`],
  ['as many arrays as are allowed', () => `[${'[],'.repeat(66_000)}0]`],
  ['many numbers', () => `[${'1,'.repeat(500_000)}0]`],
  ['nested arrays', () => '['.repeat(1_000_000)],
])('reading a response holds the event loop no longer than one turn: %s', async (_name, body) => {
  let run = 0;
  const texts = list(3, (index) => textOf(body(index)));

  expect(await heldShare(() => read(texts[run++]!).catch(() => {}))).toBeLessThan(1);
});

test('the response of an HTTP tool has at most 10 000 different objects and 200 000 marks', async () => {
  const objects = (count: number) => list(count, (index) => ({ [`k${index}`]: 1 }));
  const permuted = (count: number) =>
    list(count, (index) => Object.fromEntries(list(9, (i) => [`k${(index >> i) & 1}${i}`, 1])));

  expect(await read(ordinary)).toEqual({ status: 200, result: ordinary });
  expect(await read(objects(10_000))).toMatchObject({ status: 200 });
  expect(await read(permuted(2_000))).toMatchObject({ status: 200 });
  await expect(read(objects(10_001))).rejects.toMatchObject({ code: 'too_large' });
  await expect(read(list(100_001, () => 1))).resolves.toMatchObject({ status: 200 });
  await expect(read(list(200_001, () => 1))).rejects.toMatchObject({ code: 'too_large' });
  await expect(read('['.repeat(101) + ']'.repeat(101))).rejects.toMatchObject({
    code: 'invalid_response',
    message: expect.stringMatching(/nested too deeply/),
  });
});
