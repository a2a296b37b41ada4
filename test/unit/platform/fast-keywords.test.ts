import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compileJsonSchema } from '../../../src/platform/json/json-schema.ts';

// Ajv itself calls these methods of the values that it compares.
const hasMethods = (json: unknown) => /"(?:toString|valueOf)":/.test(JSON.stringify(json));

const value = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }).filter((json) => !hasMethods(json)),
  fc.string({ unit: fc.constantFrom('a', '😀', '\ud83d'), maxLength: 5 }),
  fc.array(fc.constantFrom(1, '1', null, [1], { a: 1, b: 2 }, { b: 2, a: 1 }, -0, 0)),
);
const schema = fc.record(
  {
    minLength: fc.nat(4),
    maxLength: fc.nat(4),
    uniqueItems: fc.boolean(),
    enum: fc.array(value, { minLength: 1, maxLength: 3 }),
    const: value,
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

test.each(['toString', 'valueOf'])(
  'a value with a property %s is compared like any other',
  (name) => {
    const [tried, other] = [{ [name]: 1 }, { [name]: 2 }];
    const isValid = (written: object, data: unknown) =>
      compileJsonSchema(written, { allErrors: false, foreign: true })(data);

    expect(isValid({ const: tried }, tried)).toBe(true);
    expect(isValid({ const: {} }, tried)).toBe(false);
    expect(isValid({ enum: [other, {}] }, tried)).toBe(false);
    expect(isValid({ uniqueItems: true }, [tried, other])).toBe(true);
    expect(isValid({ uniqueItems: true }, [tried, { ...tried }])).toBe(false);
  },
);
