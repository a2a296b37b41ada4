import { describe, expect, test } from 'vitest';
import { buildRequest } from '../../../src/content/tools/http-request.ts';
import { HttpTemplate } from '../../../src/content/tools/schema.ts';

const secrets = new Map([
  ['SID', 'abc/=='],
  ['BROKEN', 'a; b=c'],
]);
const build = (http: object, values: Record<string, unknown> = {}) =>
  buildRequest(HttpTemplate.parse({ method: 'POST', url: 'https://api.example/v1', ...http }), {
    arguments: values,
    secrets,
  });
const failure = (code: string) => expect.objectContaining({ name: 'ToolFailure', code });

const colors = ['blue', 'black', 'brown'];
const color = { R: 100, G: 200, B: 150 };

describe('a path argument is serialized by its style', () => {
  // The table "Style Examples" of OpenAPI 3.1.1.
  test.each([
    ['simple', false, 'blue', 'blue'],
    ['simple', false, colors, 'blue,black,brown'],
    ['simple', false, color, 'R,100,G,200,B,150'],
    ['simple', true, color, 'R=100,G=200,B=150'],
    ['label', false, 'blue', '.blue'],
    ['label', false, colors, '.blue,black,brown'],
    ['label', true, colors, '.blue.black.brown'],
    ['label', false, color, '.R,100,G,200,B,150'],
    ['label', true, color, '.R=100.G=200.B=150'],
    ['matrix', false, '', ';color'],
    ['matrix', false, 'blue', ';color=blue'],
    ['matrix', false, colors, ';color=blue,black,brown'],
    ['matrix', true, colors, ';color=blue;color=black;color=brown'],
    ['matrix', false, color, ';color=R,100,G,200,B,150'],
    ['matrix', true, color, ';R=100;G=200;B=150'],
  ] as const)('%s, explode %s: %j becomes %s', (style, explode, value, written) => {
    const encoding = { path: { arg: { style, explode, name: 'color' } } };

    const { url } = build({ url: 'https://api.example/a/{{arg}}/b', encoding }, { arg: value });

    expect(url).toBe(`https://api.example/a/${written}/b`);
  });

  test.each([
    ['simple', [], /must not be empty/],
    ['simple', ['.', '..'], null],
    ['simple', ['..'], /change the path/],
    ['simple', [{ a: 1 }], /must be a string/],
    ['label', '', /must not be empty/],
    ['label', '.', /change the path/],
    ['label', ['a/b', '?#'], null],
  ] as const)('%s: %j cannot change the structure of the URL (B8-6)', (style, arg, refused) => {
    const encoding = { path: { arg: { style } } };
    const run = () => build({ url: 'https://api.example/a/{{arg}}/b', encoding }, { arg }).url;

    if (refused !== null) return expect(run).toThrow(refused);
    expect(new URL(run()).pathname.split('/')).toHaveLength(4);
  });
});

describe('a query argument is serialized by its style', () => {
  test.each([
    ['form', undefined, colors, 'color=blue&color=black&color=brown'],
    ['form', false, colors, 'color=blue,black,brown'],
    ['form', false, ['a,b', 'c'], 'color=a%2Cb,c'],
    ['form', undefined, color, 'R=100&G=200&B=150'],
    ['form', false, color, 'color=R,100,G,200,B,150'],
    ['form', false, '', 'color='],
    ['form', false, [], ''],
    ['spaceDelimited', undefined, colors, 'color=blue%20black%20brown'],
    ['spaceDelimited', false, color, 'color=R%20100%20G%20200%20B%20150'],
    ['pipeDelimited', undefined, colors, 'color=blue%7Cblack%7Cbrown'],
    ['deepObject', true, color, 'color%5BR%5D=100&color%5BG%5D=200&color%5BB%5D=150'],
    ['deepObject', undefined, { a: { b: ['x'] } }, 'color%5Ba%5D%5Bb%5D%5B0%5D=x'],
    ['deepObject', undefined, 'blue', 'color=blue'],
    ['deepObject', undefined, { a: null, b: false }, 'color%5Bb%5D=false'],
  ] as const)('%s, explode %s: %j becomes %s', (style, explode, value, written) => {
    const own = explode === undefined ? { style } : { style, explode };

    const { url } = build(
      { query: { color: '{{c}}' }, encoding: { query: { color: own } } },
      { c: value },
    );

    expect(url).toBe(`https://api.example/v1${written === '' ? '' : `?${written}`}`);
  });

  test('as JSON if its content type says so', () => {
    const encoding = { query: { filter: { content_type: 'application/json' } } };

    const { url } = build({ query: { filter: '{{f}}' }, encoding }, { f: { a: ['&'] } });

    expect(new URL(url).searchParams.get('filter')).toBe('{"a":["&"]}');
  });

  test('but an object cannot replace another parameter', () => {
    const http = {
      query: { key: '{{secret.SID}}', all: '{{all}}' },
      encoding: { query: { all: { style: 'form' } } },
    };

    expect(() => build(http, { all: { key: 'mine' } })).toThrow(failure('invalid_argument'));
  });
});

test('header arguments are serialized as simple lists, and as JSON in ASCII', () => {
  const headers = { 'X-List': '{{list}}', 'X-Map': '{{map}}', 'X-Json': '{{json}}' };
  const encoding = {
    headers: {
      'X-List': {},
      'X-Map': { explode: true },
      'X-Json': { content_type: 'application/json' },
    },
  };

  const sent = build({ headers, encoding }, { list: ['a', 1], map: { a: 1 }, json: ['ü\n'] });

  expect(sent.headers).toMatchObject({
    'x-list': 'a,1',
    'x-map': 'a=1',
    'x-json': String.raw`["\u00fc\n"]`,
  });
  expect(() => build({ headers, encoding }, { list: ['a\r\nb: c'] })).toThrow(
    failure('invalid_argument'),
  );
});

describe('cookies', () => {
  test('are sent in one header, without those whose argument is absent', () => {
    const cookies = { sid: '{{secret.SID}}', theme: '{{theme}}', none: '{{none}}', ids: '{{ids}}' };
    const encoding = { cookies: { ids: { explode: false } } };

    expect(build({ cookies, encoding }, { theme: 'a; b', ids: [1, 2] }).cookie).toBe(
      'sid=abc/==; theme=a%3B%20b; ids=1,2',
    );
    expect(build({ cookies: { none: '{{none}}' } })).not.toHaveProperty('cookie');
  });

  test.each([[{ style: 'form' }], [{}]])(
    'cannot be added or replaced by the keys of an object, encoded as %j (B8-6)',
    (extra) => {
      const http = {
        cookies: { session: 'x', extra: '{{a}}' },
        encoding: { cookies: { extra } },
      };
      const a = { session: 'evil', 'b=1; admin': '1' };

      expect(build(http, { a }).cookie).toBe('session=x; extra=session,evil,b%3D1%3B%20admin,1');
    },
  );

  test('cannot be added by a secret (B8-6)', () => {
    expect(() => build({ cookies: { sid: '{{secret.BROKEN}}' } })).toThrow(
      failure('secret_invalid'),
    );
  });
});

describe('a form', () => {
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };

  test('has objects in the style that the template gives them, else as JSON', () => {
    const encoding = {
      body: { metadata: { style: 'deepObject' }, ids: { style: 'form', explode: false } },
    };

    const { body } = build(
      { headers, body: '{{body}}', encoding },
      {
        body: {
          metadata: { order: '1&2', deep: { a: [true] } },
          ids: [1, 2],
          address: { city: 'Ulm' },
          tags: ['x', 'y'],
          none: null,
        },
      },
    );

    expect([...new URLSearchParams(String(body))]).toEqual([
      ['metadata[order]', '1&2'],
      ['metadata[deep][a][0]', 'true'],
      ['ids', '1,2'],
      ['address', '{"city":"Ulm"}'],
      ['tags', 'x'],
      ['tags', 'y'],
    ]);
  });
});

describe('a multipart body', () => {
  const headers = { 'content-type': 'multipart/form-data' };
  const bytes = Buffer.from([0, 255, 13, 10, 45, 45]);
  const parsed = async (http: object, values: Record<string, unknown>) => {
    const { body, headers: sent } = build({ headers, ...http }, values);
    const type = sent['content-type']!;
    return new Response(body as Uint8Array<ArrayBuffer>, {
      headers: { 'content-type': type },
    }).formData();
  };

  test('has files with their name, media type and exact bytes', async () => {
    const form = await parsed(
      { body: { photo: '{{photo}}', more: '{{more}}', none: '{{none}}' } },
      {
        photo: {
          base64: bytes.toString('base64'),
          media_type: 'image/png',
          file_name: 'ä "b".png',
        },
        more: [{ base64: 'YQ==' }, { base64: 'Yg' }],
      },
    );

    const photo = form.get('photo') as File;
    expect([photo.name, photo.type]).toEqual(['ä "b".png', 'image/png']);
    expect(Buffer.from(await photo.arrayBuffer())).toEqual(bytes);
    const more = form.getAll('more') as File[];
    expect(more.map(({ name, type }) => [name, type])).toEqual([
      ['more', 'application/octet-stream'],
      ['more', 'application/octet-stream'],
    ]);
    expect(await Promise.all(more.map((file) => file.text()))).toEqual(['a', 'b']);
    expect([...form.keys()]).toEqual(['photo', 'more', 'more']);
  });

  test('has fields as text and objects as JSON', async () => {
    const form = await parsed(
      { body: '{{body}}', encoding: { body: { pairs: { style: 'deepObject' } } } },
      { body: { n: 5, tags: ['x', 'y'], data: { a: 1 }, pairs: { a: 1 } } },
    );

    expect([...form]).toEqual([
      ['n', '5'],
      ['tags', 'x'],
      ['tags', 'y'],
      ['data', '{"a":1}'],
      ['pairs[a]', '1'],
    ]);
  });

  test('cannot get headers or parts from an argument (B8-6)', async () => {
    const name = 'a"\r\nX-Injected: 1\r\n\r\n--';
    const form = await parsed(
      { body: '{{body}}' },
      { body: { [name]: 'x', file: { base64: '', file_name: name } } },
    );

    expect([...form.keys()]).toHaveLength(2);
    for (const wrong of [
      { base64: 'a' },
      { base64: 'ab=c' },
      { base64: '', media_type: 'a/b\r\nX: 1' },
      { base64: '', file_name: 5 },
    ])
      expect(() => build({ headers, body: { file: '{{f}}' } }, { f: wrong })).toThrow(
        failure('invalid_argument'),
      );
  });
});

test('a body that is a file is sent as its bytes, with its media type', () => {
  const http = { headers: { 'content-type': 'application/octet-stream' }, body: '{{body}}' };

  const plain = build(http, { body: { base64: 'AP8=' } });
  const typed = build(http, { body: { base64: 'AP8=', media_type: 'image/png' } });

  expect(plain.body).toEqual(Buffer.from([0, 255]));
  expect(plain.headers['content-type']).toBe('application/octet-stream');
  expect(typed.headers['content-type']).toBe('image/png');
});
