import { afterAll, describe, expect, test } from 'vitest';
import { catalog } from '../../../src/catalog/catalog.ts';
import { toolNamed } from '../../support/worlds/tool-named.ts';
import { createToolContext } from './tool-context.ts';

const context = createToolContext({ deadlineMs: 20_000 });
const shortDeadline = createToolContext({ deadlineMs: 700 });
// Far less than the slow inputs need on any machine.
const tinyDeadline = createToolContext({ deadlineMs: 10 });
afterAll(() =>
  Promise.all([context, shortDeadline, tinyDeadline].map(({ workers }) => workers.close())),
);

const run = (name: string, input: Record<string, unknown>, toolContext = context) =>
  toolNamed(catalog, name).run(input, toolContext);
const times = (count: number, make: (index: number) => string, separator = '') =>
  Array.from({ length: count }, (_, index) => make(index)).join(separator);

describe('the calculator fails with invalid_expression (B3-12)', () => {
  test.each([
    ['1/0'],
    ['0/0'],
    ['10 % 0'],
    ['0^-1'],
    ['9**9**9'],
    ['1e999'],
    ['1e308 * 10'],
    ['2^'.repeat(999) + '2'],
    ['-'.repeat(1999) + '1'],
    ['1.0000001^999999999*'.repeat(90) + '1'],
    ['('.repeat(100_000)],
    ['process.exit()'],
    ['constructor(1)'],
    ['__proto__'],
    ['toString()'],
    ['factorial(1e9)'],
    ['171!'],
    ['(-1)!'],
    ['1:1e9'],
    ['zeros(1e5, 1e5)'],
    ['[1, 2; 3, 4]'],
    ['sqrt(-1)'],
    ['ln(0)'],
    ['log(5, 1)'],
    ['tan(pi / 2)'],
    ['asin(2)'],
    ['round(1, 1e9)'],
    ['sin()'],
    ['atan2(1)'],
    ['x = 1'],
    ['1 2'],
    ['2(3)'],
    ['"a"'],
    ['2 +'],
    [''],
    [' '],
  ])('for the expression %.40s', async (expression) => {
    await expect(run('calculator', { expression })).rejects.toMatchObject({
      name: 'ToolFailure',
      code: 'invalid_expression',
      details: { reason: expect.any(String) as string },
    });
  });
});

test.each([
  ['1/0', 'division_by_zero'],
  ['7 % 0', 'division_by_zero'],
  ['mod(7, 0)', 'division_by_zero'],
  ['0^-2', 'division_by_zero'],
  ['sqrt(-1)', 'undefined'],
  ['1.5!', 'undefined'],
  ['9**9**9', 'limit'],
  ['process(1)', 'unsupported'],
  ['2 +', 'syntax'],
])('%s is invalid because of %s', async (expression, reason) => {
  await expect(run('calculator', { expression })).rejects.toMatchObject({ details: { reason } });
});

test.each([
  ['-2^2', -4],
  ['2^3^2', 512],
  ['2**-1', 0.5],
  ['10 - 4 - 3', 3],
  ['7 % 3 * 2', 2],
  ['3! + 0!', 7],
  ['0! + 20! / 19! + 170! / 169!', 191],
  ['gcd(0, -12) + gcd(28!, 27! + 1)', 13],
  ['(1 + 2) * -3', -9],
  ['1/3 * 3', 1],
  ['log(8, 2)', 3],
  ['log(1000)', 3],
  ['sin(pi)', 0],
  ['atan(1e300) * 2 - pi', 0],
  ['median(3, 1, 2, 10)', 2.5],
  ['gcd(12, 18) + lcm(4, 6)', 18],
  ['6 ÷ 2 × 4', 12],
  ['.5e1', 5],
  ['-0', 0],
])('the calculator evaluates %s to %d', async (expression, result) => {
  const answer = (await run('calculator', { expression })) as { result: number };

  expect(answer.result).toBeCloseTo(result, 12);
});

const aliases = times(
  8,
  (index) => `k${index + 1}: &k${index + 1} [${times(9, () => `*k${index}`, ',')}]`,
  '\n',
);
const doubled = JSON.stringify({
  $ref: '#/$defs/0',
  $defs: Object.fromEntries(
    Array.from({ length: 40 }, (_, index) => [
      index,
      index < 39 ? { allOf: [1, 2].map(() => ({ $ref: `#/$defs/${index + 1}` })) } : {},
    ]),
  ),
});

const commas = Array.from({ length: 100 }, () => ','.repeat(999));

describe('hostile input is refused', () => {
  test.each([
    ['json_query', 'too_deep', { json: '['.repeat(1e5) + ']'.repeat(1e5), query: '@' }],
    ['json_query', 'invalid_query', { json: '1', query: '('.repeat(1999) }],
    ['json_query', 'too_complex', { json: '"x"', query: "pad_left(@, `1e9`, 'x')" }],
    ['json_query', 'too_complex', { json: '"x"', query: "pad_left(@, `400000000`, 'x')" }],
    ['json_query', 'too_complex', { json: '"x"', query: "replace(@, 'x', 'y', `1e10`)" }],
    ['json_query', 'invalid_query', { json: '{}', query: '&a' }],
    ['json_query', 'invalid_query', { json: '{}', query: '{a: [&a]}' }],
    ['json_query', 'invalid_query', { json: '{}', query: 'constructor(@)' }],
    ['json_query', 'out_of_range', { json: '[1e400]', query: '@' }],
    ['json_query', 'out_of_range', { json: '{}', query: '`1e400`' }],
    ['json_query', 'out_of_range', { json: '1e308', query: '{a: [@ * `10`]}' }],
    ['json_diff', 'out_of_range', { before: '1', after: '-1e400' }],
    ['json_diff', 'too_deep', { before: '1', after: '['.repeat(1e5) + ']'.repeat(1e5) }],
    ['json_validate', 'too_complex', { json: '1', schema: '{"$ref":"#"}' }],
    ['json_validate', 'invalid_schema', { json: '1', schema: '{"$ref":"https://e.example/s"}' }],
    ['json_validate', 'invalid_schema', { json: '1', schema: 'null' }],
    ['json_validate', 'invalid_schema', { json: '1', schema: '[]' }],
    ['json_validate', 'invalid_schema', { json: '1', schema: '{"$schema":1}' }],
    ['json_validate', 'invalid_schema', { json: '1', schema: '{"$schema":"x"}' }],
    [
      'json_validate',
      'invalid_schema',
      { json: '1', schema: '{"$schema":"http://json-schema.org/draft-04/schema#"}' },
    ],
    ['json_validate', 'invalid_schema', { json: '"x"', schema: '{"pattern":"("}' }],
    [
      'markdown_to_html',
      'too_complex',
      { markdown: `[a]: /${'x'.repeat(100_000)}\n\n${'[a] '.repeat(24_000)}` },
    ],
    ['regex_extract', 'invalid_pattern', { text: 'x', pattern: '(x{1000}){1000}' }],
    ['regex_extract', 'invalid_pattern', { text: 'x', pattern: '(a)\\1' }],
    ['csv_to_json', 'invalid_csv', { csv: '"'.repeat(199_999) }],
    [
      'csv_to_json',
      'result_too_large',
      {
        csv: [times(1000, (index) => 'k'.repeat(90) + index, ','), ...commas].join('\n'),
      },
    ],
    ['yaml_to_json', 'invalid_yaml', { yaml: `k0: &k0 [x]\n${aliases}` }],
    ['yaml_to_json', 'invalid_yaml', { yaml: 'a: 1\na: 2' }],
    ['yaml_to_json', 'invalid_yaml', { yaml: '*nowhere' }],
    ['yaml_to_json', 'too_deep', { yaml: '&a [*a]' }],
    ['yaml_to_json', 'too_complex', { yaml: '---\n'.repeat(50_000) }],
    ['cron_next', 'invalid_cron', { expression: '0 0 * * 1#9' }],
    ['cron_next', 'invalid_cron', { expression: 'constructor' }],
    [
      'date_arithmetic',
      'out_of_range',
      { operation: 'add', start: '2026-01-01', duration: 'P999999999Y' },
    ],
    ['current_time', 'unknown_time_zone', { time_zone: '../../etc/passwd' }],
    ['convert_units', 'unknown_unit', { value: 1, from: '__proto__', to: 'constructor' }],
    ['convert_units', 'incompatible_units', { value: 1, from: 'm', to: 'min' }],
    ['convert_units', 'out_of_range', { value: 1e308, from: 'km', to: 'nm' }],
    ['uuid', 'invalid_namespace', { version: 'v5', namespace: '__proto__', name: 'x' }],
    ['color_convert', 'invalid_color', { color: 'hsl(1e999 1% 1%)' }],
    [
      'encode_decode',
      'invalid_encoding',
      { operation: 'decode', encoding: 'base64', text: `${' '.repeat(199_999)}!` },
    ],
    ['encode_decode', 'invalid_encoding', { operation: 'encode', encoding: 'url', text: '\ud800' }],
    ['web_fetch', 'url_not_allowed', { url: 'file:///etc/passwd' }],
    ['web_fetch', 'address_not_public', { url: 'https://2130706433/' }],
  ])('%s fails with %s for hostile input %#', async (name, code, input) => {
    await expect(run(name, input)).rejects.toMatchObject({ name: 'ToolFailure', code });
  });
});

describe('an endless computation is stopped', () => {
  test.each([
    ['json_query', { json: '[1,2]', query: times(60, () => '[@,@][]', '|') }],
    ['json_query', { json: '[1,2]', query: times(60, () => '[@,@]', '|') }],
    ['json_validate', { json: '1', schema: doubled }],
    ['json_validate', { json: `"${'a'.repeat(40)}!"`, schema: '{"pattern":"^(a+)+$"}' }],
  ])('%s %#', async (name, input) => {
    await expect(run(name, input, shortDeadline)).rejects.toMatchObject({ code: 'too_complex' });
  });
});

describe('a slow computation is stopped at its deadline', () => {
  test.each([
    ['html_to_markdown', { html: '<div>'.repeat(40_000) }],
    ['markdown_to_html', { markdown: '['.repeat(200_000) }],
  ])('%s %#', async (name, input) => {
    await expect(run(name, input, tinyDeadline)).rejects.toMatchObject({
      code: 'too_complex',
      details: { limit: 'time' },
    });
  });
});

describe('unusual input has an ordinary result', () => {
  test.each([
    ['cron_next', { expression: '59 59 23 30 2 *' }, { runs: [], time_zone: 'UTC' }],
    ['json_query', { json: '{}', query: 'constructor.name' }, { result: null }],
    ['json_query', { json: '{"a": {}}', query: 'a.__proto__' }, { result: null }],
    ['json_query', { json: '{}', query: '{a: @}.toString' }, { result: null }],
    ['json_query', { json: '[{}]', query: 'map(&valueOf, @)' }, { result: [null] }],
    ['json_query', { json: '{}', query: '`{}`.constructor' }, { result: null }],
    ['json_query', { json: '{"constructor": 1}', query: 'constructor' }, { result: 1 }],
    ['json_query', { json: '{"__proto__": 1}', query: '[__proto__]' }, { result: [1] }],
    [
      'json_validate',
      { json: '{}', schema: '{"$schema":"https://json-schema.org/draft/2020-12/schema#"}' },
      { valid: true, errors: [], truncated: false },
    ],
    [
      'json_validate',
      { json: '{}', schema: '{"properties":{"constructor":false,"__proto__":false}}' },
      { valid: true, errors: [], truncated: false },
    ],
    ['csv_to_json', { csv: '' }, { rows: [], columns: [], count: 0 }],
    ['yaml_to_json', { yaml: '' }, { documents: [] }],
    ['yaml_to_json', { yaml: 'a: !!js/function x' }, { documents: [{ a: 'x' }] }],
    ['html_to_markdown', { html: '' }, { markdown: '' }],
    [
      'regex_extract',
      { text: 'a'.repeat(50_000), pattern: '(a*)*b' },
      { matches: [], truncated: false },
    ],
  ])('%s %#', async (name, input, result) => {
    expect(await run(name, input)).toEqual(result);
  });

  test('a key named __proto__ is treated like any other key', async () => {
    const rows = await run('csv_to_json', { csv: '__proto__\nx' });
    const documents = await run('yaml_to_json', { yaml: '__proto__: x' });

    expect(JSON.stringify(rows)).toContain('{"__proto__":"x"}');
    expect(JSON.stringify(documents)).toBe('{"documents":[{"__proto__":"x"}]}');
  });
});
