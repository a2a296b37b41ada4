import { describe, expect, test } from 'vitest';
import { buildRequest } from '../../../src/content/tools/http-request.ts';
import { HttpTemplate } from '../../../src/content/tools/schema.ts';

const secrets = new Map([
  ['TOKEN', 'tok/en+1'],
  ['BROKEN', 'a\r\nx-injected: 1'],
]);
const build = (http: object, values: Record<string, unknown> = {}) =>
  buildRequest(HttpTemplate.parse({ method: 'POST', url: 'https://api.example/v1', ...http }), {
    arguments: values,
    secrets,
  });

describe('arguments cannot change the host or the structure of the URL (B8-6)', () => {
  test.each([
    ['../admin', '..%2Fadmin'],
    ['a/b?c=d#e&f', 'a%2Fb%3Fc%3Dd%23e%26f'],
    ['@evil.example', '%40evil.example'],
    ['\\evil', '%5Cevil'],
    ['a\r\nHost: evil', 'a%0D%0AHost%3A%20evil'],
    ['%2e%2e', '%252e%252e'],
    ['%2F', '%252F'],
    ['\u0000', '%00'],
    ['ü/', '%C3%BC%2F'],
    [' ', '%20'],
    ['...', '...'],
    [7, '7'],
    [false, 'false'],
    [1e21, '1e%2B21'],
  ])('in a path, %j becomes %s', (id, written) => {
    const { url } = build({ url: 'https://api.example/v1/users/{{id}}/posts' }, { id });

    expect(url).toBe(`https://api.example/v1/users/${written}/posts`);
    expect(new URL(url).pathname).toBe(`/v1/users/${written}/posts`);
  });

  test.each([['.'], ['..'], [''], [null], [undefined], [['a']], [{ a: 1 }], ['\ud800']])(
    'in a path, %j is refused',
    (id) => {
      const url = 'https://api.example/v1/users/{{id}}/posts';

      expect(() => build({ url }, { id })).toThrow(
        expect.objectContaining({ name: 'ToolFailure', code: 'invalid_argument' }),
      );
    },
  );

  test.each([
    ['https://api.example/a/{{x}}{{y}}', { x: '.', y: '.' }],
    ['https://api.example/a/.{{x}}/b', { x: '.' }],
    ['https://api.example/a/%2e{{x}}', { x: '.' }],
    ['https://api.example/a/{{x}}?q=1', { x: '..' }],
  ])('adjacent parts of %s cannot form a dot segment', (url, values) => {
    expect(() => build({ url }, values)).toThrow(/change the path of the URL/);
  });

  test('a name that objects inherit is not an argument', () => {
    expect(() => build({ url: 'https://api.example/{{constructor}}' })).toThrow(/is required/);
  });

  test('in the query, values are encoded, and lists repeat their name', () => {
    const { url } = build(
      {
        url: 'https://api.example/v1?q={{q}}',
        query: { 'a b': '{{list}}', key: '{{secret.TOKEN}}', none: 'x{{absent}}', fixed: 'y' },
      },
      { q: 'a&b=c#d', list: ['1&2', 3] },
    );

    expect(url).toBe(
      'https://api.example/v1?q=a%26b%3Dc%23d&a%20b=1%262&a%20b=3&key=tok%2Fen%2B1&fixed=y',
    );
  });
});

describe('headers', () => {
  test('are filled in; a header with an absent argument is omitted', () => {
    const { headers } = build(
      { headers: { Authorization: 'Bearer {{secret.TOKEN}}', 'X-A': '{{a}}', 'X-B': '{{b}}' } },
      { a: 5 },
    );

    expect(headers).toEqual({
      accept: expect.any(String),
      authorization: 'Bearer tok/en+1',
      'x-a': '5',
    });
  });

  test.each([['a\r\nb'], ['a\nb'], ['a\u0000'], ['ü'], ['\u2028']])(
    'refuse %j: it would inject a header, or is not valid header text (B8-6)',
    (a) => {
      expect(() => build({ headers: { 'x-a': '{{a}}' } }, { a })).toThrow(
        expect.objectContaining({ code: 'invalid_argument' }),
      );
    },
  );

  test('do not reveal a secret that is not valid header text', () => {
    expect(() => build({ headers: { 'x-a': '{{secret.BROKEN}}' } })).toThrow(
      expect.not.objectContaining({ message: expect.stringContaining('injected') }),
    );
  });
});

describe('bodies', () => {
  const body = {
    whole: '{{value}}',
    text: 'n = {{n}}, {{n}}',
    list: ['{{n}}', '{{absent}}', 2],
    removed: '{{absent}}',
    partly: 'x{{absent}}',
    deep: { token: '{{secret.TOKEN}}', no: null, yes: true },
  };

  test('keep the type of an argument that is the entire value', () => {
    const sent = build({ body }, { value: { a: ['"', null] }, n: 4 });

    expect(JSON.parse(String(sent.body))).toEqual({
      whole: { a: ['"', null] },
      text: 'n = 4, 4',
      list: [4, 2],
      deep: { token: 'tok/en+1', no: null, yes: true },
    });
    expect(sent.headers['content-type']).toBe('application/json');
  });

  test('of JSON are safe from injection', () => {
    const sent = build({ body: { a: 'x{{n}}' } }, { n: '","admin":true,"b":"' });

    expect(JSON.parse(String(sent.body))).toEqual({ a: 'x","admin":true,"b":"' });
  });

  test('are form-encoded if the content type says so', () => {
    const sent = build(
      {
        headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
        body: { to: '{{to}}', tags: '{{tags}}', none: '{{absent}}' },
      },
      { to: 'a&b=c', tags: ['x', 'y'] },
    );

    expect(sent.body).toBe('to=a%26b%3Dc&tags=x&tags=y');
  });

  test('are text for any other content type', () => {
    const headers = { 'content-type': 'text/plain; charset=utf-8' };

    expect(build({ headers, body: 'hello {{n}}' }, { n: 1 }).body).toBe('hello 1');
    expect(() => build({ headers, body: '{{n}}' }, { n: [1] })).toThrow(/must be a string/);
  });

  test('are size-checked before they are built', () => {
    const many = Array.from({ length: 90 }, () => '{{value}}');

    for (const http of [{ body: many }, { headers: { 'x-all': many.join('') } }])
      expect(() => build(http, { value: 'x'.repeat(100_000) })).toThrow(
        expect.objectContaining({ code: 'too_large' }),
      );
  });

  test('fail if a secret they name is missing', () => {
    expect(() => build({ body: '{{secret.OTHER}}' })).toThrow(
      expect.objectContaining({ code: 'secret_missing' }),
    );
  });
});
