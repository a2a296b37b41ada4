import { expect, test } from 'vitest';
import { z } from 'zod';
import { shapeError } from '../../../src/platform/errors/shape-error.ts';

const messagesOf = (schema: z.ZodType, value: unknown) =>
  schema.safeParse(value, { error: shapeError }).error?.issues.map(({ message }) => message);

test.each<[name: string, schema: z.ZodType, value: unknown, message: string]>([
  ['a wrong type', z.string(), 3, 'must be a string'],
  ['an object instead of an array', z.array(z.string()), {}, 'must be an array'],
  ['an array instead of an object', z.object({}), [], 'must be an object'],
  ['a fraction', z.int(), 1.5, 'must be an integer'],
  ['a missing field', z.object({ name: z.string() }), {}, 'is required'],
  ['an unknown field', z.strictObject({}), { a: 1, b: 2 }, 'must not have the field "a", "b"'],
  ['a value outside an enum', z.enum(['a', 'b']), 'c', 'must be one of "a", "b"'],
  ['another literal', z.literal(true), false, 'must be true'],
  ['an empty string', z.string().min(1), '', 'must have at least 1 character'],
  ['a long string', z.string().max(2), 'abc', 'must have at most 2 characters'],
  ['a long list', z.array(z.string()).max(2), ['', '', ''], 'must have at most 2 entries'],
  ['a low number', z.number().min(1), 0, 'must be at least 1'],
  ['a number at an exclusive limit', z.number().lt(5), 5, 'must be less than 5'],
  ['a text that is not a UUID', z.uuid(), 'x', 'must be a UUID'],
  ['a text that is not an id', z.guid(), 'x', 'must be an id: a UUID'],
  [
    'a text that is not a timestamp',
    z.iso.datetime(),
    'x',
    'must be a date and time in ISO 8601, with a time zone',
  ],
  [
    'a value outside a union',
    z.union([z.string(), z.number()]),
    true,
    'must have one of the documented shapes',
  ],
])('%s is reported as a requirement', (_name, schema, value, message) => {
  expect(messagesOf(schema, value)).toEqual([message]);
});

test('a message of the schema itself takes precedence', () => {
  expect(messagesOf(z.string({ error: 'must be a path' }), 1)).toEqual(['must be a path']);
  expect(
    messagesOf(
      z.string().refine(() => false, 'must be unique'),
      '',
    ),
  ).toEqual(['must be unique']);
});
