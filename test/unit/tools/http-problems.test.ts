import { describe, expect, test } from 'vitest';
import { httpProblems, secretsOf } from '../../../src/content/tools/http-problems.ts';
import { HttpTemplate } from '../../../src/content/tools/schema.ts';
import { createOutbound } from '../../../src/platform/outbound/outbound.ts';

const outbound = createOutbound({ allow: ['allowed.local:8080'], resolve: async () => [] });
const input_schema = { type: 'object', properties: { id: {}, text: {}, 'a-b': {} } };
const parse = (http: object) =>
  HttpTemplate.parse({ method: 'POST', url: 'https://api.example/v1', ...http });
const problems = (http: object) =>
  httpProblems(parse(http), input_schema, outbound).map(
    ({ code, detail }) => `${code} ${(detail as { pointer: string }).pointer}`,
  );

test.each([
  [{}],
  [{ url: 'https://api.example' }],
  [{ url: 'https://api.example?q={{text}}' }],
  [{ url: 'https://api.example:8443/a%20b/{{id}}-{{ a-b }}/c?x=1&y={{text}}' }],
  [{ url: 'http://allowed.local:8080/{{id}}' }],
  [{ query: { key: '{{secret.KEY}}' }, headers: { 'X-Key': 'k {{secret.KEY}}' } }],
  [{ body: { a: ['{{text}}', '{{secret.KEY}}', { b: '}} {' }] } }],
  [{ body: '{{text}}', headers: { 'Content-Type': 'application/x-www-form-urlencoded' } }],
  [{ body: 'hello {{text}}', headers: { 'content-type': 'text/plain' } }],
  [{ response: { query: 'length(items)' } }],
  [{ method: 'GET', body: { query: '{{text}}' } }],
  [{ cookies: { sid: '{{secret.SID}}', theme: '{{text}}' } }],
  [{ query: { a: '{{id}}' }, encoding: { query: { a: { style: 'deepObject' } } } }],
  [
    {
      url: 'https://api.example/{{id}}',
      encoding: { path: { id: { style: 'matrix', explode: true, name: 'ids' } } },
    },
  ],
  [
    {
      headers: { 'content-type': 'multipart/form-data' },
      body: { photo: '{{id}}' },
      encoding: { body: { photo: { content_type: 'image/png' } } },
    },
  ],
])('%j may be saved', (http) => {
  expect(problems(http)).toEqual([]);
});

describe('a URL that is refused', () => {
  test.each([
    ['http://api.example/', 'url_not_allowed'],
    ['http://allowed.local:8081/', 'url_not_allowed'],
    ['ftp://api.example/', 'url_not_allowed'],
    ['file:///etc/passwd', 'url_not_allowed'],
    ['/v1', 'url_not_allowed'],
    ['{{id}}', 'url_not_allowed'],
    ['https://user:pass@api.example/', 'url_not_allowed'],
    ['https://api.example@evil.example/', 'url_not_allowed'],
    ['https://127.0.0.1/', 'address_not_public'],
    ['https://127.1/', 'address_not_public'],
    ['https://2130706433/', 'address_not_public'],
    ['https://0x7f000001/', 'address_not_public'],
    ['https://[::ffff:10.0.0.1]/', 'address_not_public'],
    ['https://[64:ff9b::a00:1]/', 'address_not_public'],
    ['https://169.254.169.254/latest', 'address_not_public'],
    ['https://100.64.0.1/', 'address_not_public'],
    ['https://{{id}}/', 'invalid_url'],
    ['https://{{id}}.example/', 'invalid_url'],
    ['https://api.example{{id}}', 'invalid_url'],
    ['https://api.example:{{id}}/', 'url_not_allowed'],
    ['https://api.example\\@{{id}}/', 'invalid_url'],
    ['https:api.example/', 'invalid_url'],
    ['https:///api.example/', 'invalid_url'],
    ['{{id}}://api.example/', 'url_not_allowed'],
    ['https://api.example/a#b', 'invalid_url'],
    ['https://api.example/a#', 'invalid_url'],
    ['https://api.example/a/../b', 'invalid_url'],
    ['https://api.example/a/%2e%2e/b', 'invalid_url'],
    ['https://api.example/a b', 'invalid_url'],
    ['https://api.example/a\nb', 'invalid_url'],
    ['https://api.example/a\\b', 'invalid_url'],
    ['https://API.example/', 'invalid_url'],
    ['https://api.example:443/', 'invalid_url'],
    ['https://api.example/{{secret.KEY}}', 'invalid_template'],
    ['https://{{secret.KEY}}/', 'invalid_template invalid_url'],
  ])('%j causes %s (B8-1, B8-2, B8-6)', (url, codes) => {
    const expected = codes.split(' ').map((code) => `${code} /http/url`);
    const others = problems({ url }).filter((one) => !one.startsWith('unknown_placeholder'));

    expect(others).toEqual(expected);
  });
});

test.each([
  [{ url: 'https://api.example/{{none}}' }, 'unknown_placeholder /http/url'],
  [{ url: 'https://api.example/{{toString}}' }, 'unknown_placeholder /http/url'],
  [{ query: { a: '{{none}}' } }, 'unknown_placeholder /http/query/a'],
  [{ body: { 'a/b': ['{{none}}'] } }, 'unknown_placeholder /http/body/a~1b/0'],
  [{ url: 'https://api.example/{{id' }, 'invalid_template /http/url'],
  [{ url: 'https://api.example/{{}}' }, 'invalid_template /http/url'],
  [{ url: 'https://api.example/{{{id}}}' }, 'invalid_url /http/url'],
  [{ query: { a: '{{id.x}}' } }, 'invalid_template /http/query/a'],
  [{ query: { a: '{{secret.}}' } }, 'invalid_template /http/query/a'],
  [{ query: { a: '{{secret.A.B}}' } }, 'invalid_template /http/query/a'],
  [{ query: { '{{id}}': 'x' } }, 'invalid_template /http/query/{{id}}'],
  [{ headers: { 'x-{{id}}': 'x' } }, 'invalid_template /http/headers/x-{{id}}'],
  [{ body: { '{{id}}': 'x' } }, 'invalid_template /http/body/{{id}}'],
  [{ body: Array.from({ length: 101 }, () => '{{id}}') }, 'invalid_template /http'],
  [{ headers: { Host: 'evil' } }, 'invalid_header /http/headers/Host'],
  [{ headers: { Cookie: 'a=b' } }, 'invalid_header /http/headers/Cookie'],
  [
    { headers: { 'Transfer-Encoding': 'chunked' } },
    'invalid_header /http/headers/Transfer-Encoding',
  ],
  [{ headers: { 'a b': 'x' } }, 'invalid_header /http/headers/a b'],
  [{ headers: { a: 'x', A: 'y' } }, 'invalid_header /http/headers/A'],
  [{ headers: { a: 'x\r\nb: y' } }, 'invalid_header /http/headers/a'],
  [{ headers: { 'content-type': '{{id}}' } }, 'invalid_header /http/headers/content-type'],
  [{ cookies: { 'a b': 'x' } }, 'invalid_header /http/cookies/a b'],
  [{ cookies: { a: 'x; b=y' } }, 'invalid_header /http/cookies/a'],
  [{ cookies: { a: '{{none}}' } }, 'unknown_placeholder /http/cookies/a'],
  [{ encoding: { query: { a: {} } } }, 'invalid_template /http/encoding/query/a'],
  [
    { query: { a: 'x{{id}}' }, encoding: { query: { a: { style: 'form' } } } },
    'invalid_template /http/encoding/query/a',
  ],
  [
    { query: { a: '{{id}}' }, encoding: { query: { a: { style: 'matrix' } } } },
    'invalid_template /http/encoding/query/a',
  ],
  [
    { query: { a: '{{id}}' }, encoding: { query: { a: { content_type: 'text/csv' } } } },
    'invalid_template /http/encoding/query/a',
  ],
  [
    { cookies: { a: '{{id}}' }, encoding: { cookies: { a: { explode: true } } } },
    'invalid_template /http/encoding/cookies/a',
  ],
  [{ encoding: { path: { id: {} } } }, 'invalid_template /http/encoding/path/id'],
  [
    { body: '{{text}}', encoding: { body: { a: { style: 'form' } } } },
    'invalid_template /http/encoding/body/a',
  ],
  [{ body: [], headers: { 'content-type': 'multipart/form-data' } }, 'invalid_body /http/body'],
  [{ body: 5, headers: { 'content-type': 'text/plain' } }, 'invalid_body /http/body'],
  [
    { body: 'a={{id}}', headers: { 'content-type': 'application/x-www-form-urlencoded' } },
    'invalid_body /http/body',
  ],
  [{ response: { query: 'items[?' } }, 'invalid_query /http/response/query'],
  [{ response: { query: 'a', format: 'text' } }, 'invalid_query /http/response/query'],
])('%j causes %s', (http, expected) => {
  expect(problems(http)).toEqual([expected]);
});

test('each secret of a request is listed once', () => {
  const http = parse({
    headers: { a: '{{secret.A}}{{secret.B}}' },
    query: { a: '{{secret.A}}' },
    body: ['{{secret.C}} {{id}}'],
  });

  expect(secretsOf(http)).toEqual(['A', 'B', 'C']);
});
