import { describe, expect, test } from 'vitest';
import { portabilityWarnings } from '../../../src/content/tools/portability.ts';

const object = (properties: object, fields: object = {}) => ({
  type: 'object',
  properties,
  ...fields,
});
const pointers = (name: string, schema: Readonly<Record<string, unknown>>) =>
  portabilityWarnings(name, schema).map(({ detail }) => detail.pointer);

describe('a tool that every model API accepts has no warning', () => {
  test.each([
    ['without arguments', { type: 'object' }],
    ['with branches in a property', object({ a: { anyOf: [{ type: 'string' }, {}] } })],
    ['with names of 64 characters', object({ ['a.-_'.repeat(16)]: {} })],
    ['with other names outside `properties`', object({ a: { const: { 'x y': { 'z z': 1 } } } })],
  ])('%s', (_case, schema) => {
    expect(pointers('n'.repeat(64), schema)).toEqual([]);
  });
});

describe('what some model APIs refuse is named with its place', () => {
  test.each(['anyOf', 'oneOf', 'allOf', 'enum', 'not'])('`%s` at the top', (keyword) => {
    const schema = object({}, { [keyword]: keyword === 'not' ? {} : [{}] });

    expect(pointers('a', schema)).toEqual([`/input_schema/${keyword}`]);
  });

  test.each([
    ['at the top', object({ 'a/b': {} }), '/properties/a~1b'],
    ['empty', object({ '': {} }), '/properties/'],
    ['too long', object({ ['x'.repeat(65)]: {} }), `/properties/${'x'.repeat(65)}`],
    ['in a property', object({ a: object({ é: {} }) }), '/properties/a/properties/é'],
    [
      'in an item',
      object({ a: { items: object({ $x: {} }) } }),
      '/properties/a/items/properties/$x',
    ],
    [
      'in a definition',
      { type: 'object', $defs: { d: object({ 'a b': {} }) } },
      '/$defs/d/properties/a b',
    ],
  ])('a property whose name is %s', (_case, schema, pointer) => {
    expect(pointers('a', schema)).toEqual([`/input_schema${pointer}`]);
  });

  test('a name of more than 64 characters, with what to change', () => {
    const [found, ...rest] = portabilityWarnings('n'.repeat(68), { type: 'object' });

    expect(rest).toEqual([]);
    expect(found).toMatchObject({ code: 'not_portable', detail: { pointer: '/name' } });
    expect(found?.message).toMatch(/68 characters.*shorten it by 4\.$/);
  });
});

test('the pointer of a warning has at most 2 000 characters, however long the names are', () => {
  const properties = { ['n'.repeat(30_000)]: { properties: { 'a b': {} } } };
  const warnings = portabilityWarnings('a', { type: 'object', properties });

  expect(warnings.map(({ detail }) => detail.pointer.length)).toEqual([2_000, 2_000]);
});
