import { describe, expect, test } from 'vitest';
import { buildRequest } from '../../../src/content/tools/http-request.ts';
import { HttpTemplate } from '../../../src/content/tools/schema.ts';

const build = (http: object, values: Record<string, unknown>) =>
  buildRequest(HttpTemplate.parse({ method: 'POST', url: 'https://api.example/v1', ...http }), {
    arguments: values,
    secrets: new Map(),
  });
const failure = (code: string) => expect.objectContaining({ name: 'ToolFailure', code });

describe('an exploded object cannot name another part of the request (B8-6)', () => {
  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  const multipart = { 'content-type': 'multipart/form-data' };
  const exploded = { style: 'form' };
  const body = { role: 'reader', extra: '{{a}}' };
  const ofBody = { body: { extra: exploded } };
  const matrix = { style: 'matrix', explode: true };

  test.each([
    [
      'of the query',
      { query: { role: 'reader', f: '{{a}}' }, encoding: { query: { f: exploded } } },
    ],
    [
      'in the URL’s own query',
      {
        url: 'https://api.example/a?x=1&r%6fle=reader',
        query: { f: '{{a}}' },
        encoding: { query: { f: exploded } },
      },
    ],
    [
      'that is absent',
      { query: { role: '{{none}}', f: '{{a}}' }, encoding: { query: { f: exploded } } },
    ],
    ['of a form', { headers: form, body, encoding: ofBody }],
    [
      'of a form that is absent',
      { headers: form, body: { ...body, role: '{{none}}' }, encoding: ofBody },
    ],
    ['of a multipart body', { headers: multipart, body, encoding: ofBody }],
    [
      'among the parameters in the path',
      { url: 'https://api.example/a;role=reader{{a}}', encoding: { path: { a: matrix } } },
    ],
  ])('%s', (_, http) => {
    expect(() => build(http, { a: { role: 'admin' } })).toThrow(failure('invalid_argument'));
    expect(() => build(http, { a: { other: 'x' } })).not.toThrow();
  });

  test.each([
    [
      'in the query',
      {
        query: { f: '{{a}}', g: '{{b}}' },
        encoding: { query: { f: exploded, g: exploded } },
      },
    ],
    [
      'in a multipart body',
      {
        headers: multipart,
        body: { f: '{{a}}', g: '{{b}}' },
        encoding: { body: { f: exploded, g: exploded } },
      },
    ],
    [
      'in the path',
      {
        url: 'https://api.example/a{{a}}{{b}}',
        encoding: { path: { a: matrix, b: matrix } },
      },
    ],
  ])('and two objects cannot share a name %s', (_, http) => {
    expect(() => build(http, { a: { role: 'x' }, b: { role: 'y' } })).toThrow(
      failure('invalid_argument'),
    );
    expect(() => build(http, { a: { role: 'x' }, b: { other: 'y' } })).not.toThrow();
  });
});
