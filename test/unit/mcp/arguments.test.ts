import { describe, expect, test } from 'vitest';
import { createArgumentChecker } from '../../../src/mcp/calls/arguments.ts';
import { ProtocolFailure } from '../../../src/mcp/protocol/errors.ts';

const input_schema = {
  type: 'object',
  properties: { 'a/b': { type: 'string' }, n: { type: 'integer', minimum: 1, maximum: 3 } },
  required: ['n'],
  additionalProperties: false,
};
const checker = createArgumentChecker();
const issuesOf = (values: unknown, version = '1') => {
  try {
    checker.check({ id: 'tool', version, input_schema }, values);
    return null;
  } catch (error) {
    if (!(error instanceof ProtocolFailure)) throw error;
    expect(error.error.code).toBe(-32602);
    expect(error.error.data?.['code']).toBe('invalid_params');
    const issues = error.error.data?.['issues'] as { pointer: string }[];
    return issues.map(({ pointer }) => pointer);
  }
};

describe('arguments', () => {
  test.each([
    [{ n: 1 }, null],
    [{ n: 3, 'a/b': '' }, null],
    [{}, ['/n']],
    [{ n: '2' }, ['/n']],
    [{ n: 0 }, ['/n']],
    [{ n: 4 }, ['/n']],
    [{ n: 1.5 }, ['/n']],
    [{ n: null }, ['/n']],
    [{ n: 1, 'a/b': 5 }, ['/a~1b']],
    [{ n: 1, x: 1 }, ['/x']],
    [{ 'a/b': 5, x: 1 }, ['/n', '/x', '/a~1b']],
  ])('%j: issues %j (rel:B3-11)', (values, pointers) => {
    expect(issuesOf(values)).toEqual(pointers);
  });

  test.each([{ additionalProperties: false }, { unevaluatedProperties: false }])(
    'that the tool does not have are named as such, with %j',
    (more) => {
      const schema = { type: 'object', properties: { expression: { type: 'string' } }, ...more };
      const check = () =>
        createArgumentChecker().check(
          { id: 'tool', version: '1', input_schema: schema },
          { expresion: '6*7' },
        );

      expect(check).toThrow('/expresion is not in the schema of the tool');
    },
  );

  test('are own properties, not inherited ones (rel:B2-8)', () => {
    const schema = { type: 'object', properties: { toString: { type: 'string' } } };
    const tool = { id: 'named', version: '1', input_schema: schema };
    const withRequired = {
      ...tool,
      version: '2',
      input_schema: { ...schema, required: ['toString'] },
    };

    expect(() => checker.check(tool, {})).not.toThrow();
    expect(() => checker.check(withRequired, {})).toThrow(ProtocolFailure);
    expect(() => checker.check(withRequired, { toString: 'here' })).not.toThrow();
  });

  test('are not changed by the check', () => {
    const values = { n: '2' };

    issuesOf(values);

    expect(values).toEqual({ n: '2' });
  });

  test('have one issue if they are huge, otherwise at most 20', () => {
    const many = Object.fromEntries(
      Array.from({ length: 5_000 }, (_, index) => [`k${index}`, index]),
    );
    const some = Object.fromEntries(
      Array.from({ length: 100 }, (_, index) => [`k${index}`, index]),
    );

    expect(issuesOf(many)).toHaveLength(1);
    expect(issuesOf(some)).toHaveLength(20);
  });

  test("are checked against the schema of their tool's version", () => {
    const other = { id: 'tool', version: '2', input_schema: { type: 'object' } };

    expect(() => checker.check(other, {})).not.toThrow();
    expect(issuesOf({}, '1')).toEqual(['/n']);
  });

  test('are checked correctly after schemas were evicted from the cache', () => {
    const small = createArgumentChecker(5_000);
    for (let index = 0; index < 100; index += 1)
      small.check(
        { id: `t${index}`, version: '1', input_schema: { type: 'object', maxProperties: index } },
        {},
      );

    expect(() =>
      small.check(
        { id: 't0', version: '1', input_schema: { type: 'object', maxProperties: 0 } },
        { a: 1 },
      ),
    ).toThrow(ProtocolFailure);
  });
});
