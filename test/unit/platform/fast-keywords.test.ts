import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compileJsonSchema } from '../../../src/platform/json/json-schema.ts';

const value = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.string({ unit: fc.constantFrom('a', '😀', '\ud83d'), maxLength: 5 }),
  fc.array(fc.constantFrom(1, '1', null, [1], { a: 1, b: 2 }, { b: 2, a: 1 }, -0, 0)),
);
const schema = fc.record(
  {
    minLength: fc.nat(4),
    maxLength: fc.nat(4),
    uniqueItems: fc.boolean(),
    enum: fc.array(value, { minLength: 1, maxLength: 3 }),
  },
  { requiredKeys: [] },
);

test('the linear keywords of foreign schemas accept the same values and report the same errors as those of Ajv', () => {
  const plain = new Ajv2020({ allErrors: true, strict: false, addUsedSchema: false });
  const errorsOf = (errors: readonly { message?: string; keyword: string }[] | null | undefined) =>
    (errors ?? [])
      .map(({ keyword, message }) => `${keyword} ${keyword === 'uniqueItems' ? '' : message}`)
      .toSorted();
  fc.assert(
    fc.property(schema, value, (written, tried) => {
      const expected = plain.compile(written);
      const actual = compileJsonSchema(written, { allErrors: true, foreign: true });

      expect(actual(tried)).toBe(expected(tried));
      expect(errorsOf(actual.errors)).toEqual(errorsOf(expected.errors));
    }),
  );
});
