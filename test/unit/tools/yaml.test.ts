import { expect, test } from 'vitest';
import { parseYaml } from '../../../src/content/tools/openapi/yaml.ts';

const failure = (code: string, message: RegExp) =>
  expect.objectContaining({ name: 'ToolFailure', code, message: expect.stringMatching(message) });
const bomb = Array.from(
  { length: 40 },
  (_, i) => `x${i + 1}: &x${i + 1} {a: *x${i}, b: *x${i}, c: *x${i}}`,
);
const mergeBomb = Array.from(
  { length: 40 },
  (_, i) => `x${i + 1}: &x${i + 1} {<<: [*x${i}, *x${i}, *x${i}]}`,
);
const first = 'x0: &x0 {a: 1}';

test.each([
  ['an alias without an anchor', 'a: *nothing', 'invalid_document', /anchor that stands before/],
  ['a merge of an unknown anchor', 'a: {<<: *nothing}', 'invalid_document', /anchor that stands/],
  ['a merge of text', 'a: {<<: hello}', 'invalid_document', /must merge objects/],
  ['a list that contains itself', 'a: &d [*d]', 'invalid_document', /alias of itself.*`\$ref`/],
  ['an object that contains itself', 'a: &d {b: {c: *d}}', 'invalid_document', /alias of itself/],
  ['two documents', 'a: 1\n---\nb: 2', 'invalid_document', /valid JSON or YAML/],
  ['aliases of aliases', [first, ...bomb].join('\n'), 'too_complex', /repeat too much/],
  ['merges of merges', [first, ...mergeBomb].join('\n'), 'too_complex', /repeat too much/],
] as const)('YAML with %s is refused with what to change', async (_, text, code, message) => {
  await expect(parseYaml(text)).rejects.toEqual(failure(code, message));
});

test('YAML may use one anchored value thousands of times', async () => {
  const uses = Array.from({ length: 2_000 }, () => '*x');

  expect(await parseYaml(`x: &x {type: string}\nlist: [${uses.join(', ')}]`)).toEqual({
    x: { type: 'string' },
    list: uses.map(() => ({ type: 'string' })),
  });
});
