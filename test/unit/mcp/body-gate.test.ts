import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import { once } from 'node:events';
import { describe, expect, onTestFinished, test } from 'vitest';
import fc from 'fast-check';
import { parseJsonStrictly, readBody, requireJsonType } from '../../../src/platform/http/body.ts';
import { Refusal } from '../../../src/platform/errors/refusal.ts';

const codeOf = (run: () => unknown): string => {
  try {
    run();
    return 'passes';
  } catch (error) {
    if (error instanceof Refusal) return error.code;
    throw error;
  }
};
const gate = (text: string | Buffer) =>
  codeOf(() => parseJsonStrictly(typeof text === 'string' ? Buffer.from(text) : text));
const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);

describe('the body gate', () => {
  test.each([
    ['an empty body', ''],
    ['a truncated document', '{"a":'],
    ['a comment', '{} // no'],
    ['NaN', 'NaN'],
    ['two documents', '{} {}'],
    ['a raw control character', '"\u0001"'],
    ['a byte order mark', '\ufeff{}'],
    ['bad UTF-8', Buffer.from([0x22, 0xff, 0x22])],
    ['UTF-8 of a surrogate', Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22])],
  ])('refuses %s as invalid JSON (rel:B2-1, B2-8)', (_name, text) => {
    expect(gate(text)).toBe('invalid_json');
  });

  test.each([
    ['33 levels', nested(33)],
    ['33 levels of objects', '{"a":'.repeat(33) + '1' + '}'.repeat(33)],
    ['a key twice', '{"a":1,"a":2}'],
    ['a key twice, once escaped', '{"a":1,"\\u0061":2}'],
    ['a key twice deep inside', '[{"x":{"b":[{"c":1,"c":1}]}}]'],
    ['a key twice whose first value had members', '{"a":{"b":1,"c":2},"a":1}'],
    ['100 001 structural characters (rel:B7-6)', `[${','.repeat(99_999)}]`],
    ['too many empty objects', `[${'{},'.repeat(40_000)}{}]`],
    ['a NUL in a string', '"\\u0000"'],
    ['a NUL in a key', '{"a\\u0000":1}'],
    ['a lone high surrogate', '"\\ud800"'],
    ['a lone low surrogate', '"\\uDC00"'],
    ['two high surrogates and a low one', '"\\ud83d\\ud83d\\ude00"'],
    ['__proto__', '{"a":[{"__proto__":{"admin":true}}]}'],
    ['__proto__, escaped', '{"\\u005f_proto__":1}'],
    ['constructor.prototype', '{"constructor":{"prototype":{}}}'],
  ])('refuses JSON with %s (rel:B2-6…9)', (_name, text) => {
    expect(gate(text)).toBe('invalid_body');
  });

  test.each([
    ['32 levels', nested(32)],
    ['100 000 structural characters', `[${'{},'.repeat(33_332)}{}]`],
    ['structural characters inside a string', JSON.stringify('{,:}'.repeat(100_000))],
    ['brackets inside a string', JSON.stringify('['.repeat(40))],
    ['equal keys of different objects', '[{"a":1},{"a":1},{"b":{"a":1}}]'],
    ['colons and quotes inside strings', '{"a:b":"c\\":d","e\\\\":":"}'],
    ['a surrogate pair, escaped', '"\\ud83d\\ude00"'],
    ['a surrogate pair, plain', '"😀"'],
    ['an escaped backslash before u', '"\\\\ud800"'],
    ['constructor as a plain key', '{"constructor":"x"}'],
    ['a bare value', '5'],
  ])('accepts %s', (_name, text) => {
    expect(gate(text)).toBe('passes');
  });

  test('reads any output of JSON.stringify unchanged', () => {
    const value = fc.jsonValue({ maxDepth: 20 });
    fc.assert(
      fc.property(value, (written) => {
        const text = JSON.stringify(written);
        fc.pre(
          !text.includes('__proto__') && !text.includes('\\u0000') && !/\\ud[89a-f]/.test(text),
        );

        expect(parseJsonStrictly(Buffer.from(text))).toEqual(JSON.parse(text));
      }),
    );
  });

  test('throws only refusals, for any input (P14)', () => {
    const piece = fc.constantFrom('{', '}', '[', ']', '"', '\\', '\\u', 'd800', ':', ',', '1', 'a');
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        expect(gate(pieces.join(''))).toMatch(/^(?:passes|invalid_json|invalid_body)$/);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('the media type of a body', () => {
  const type = (...values: string[]) =>
    codeOf(() => requireJsonType(values.flatMap((value) => ['Content-Type', value])));

  test.each([
    'application/json',
    'text/json',
    'APPLICATION/JSON',
    'application/x+json; charset=utf-8',
    'application/problem+json',
    'application/json;charset="utf-8"',
    'application/json;',
  ])('%s is JSON (rel:B2-2)', (value) => {
    expect(type(value)).toBe('passes');
  });

  test.each([
    '',
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/jsonx',
    'application/json\t; charset=utf-8',
    'text/plain; a=application/json',
    'application/json, text/plain',
    'json',
  ])('%j is not JSON (rel:B2-3)', (value) => {
    expect(type(value)).toBe('unsupported_media_type');
  });

  test('a missing type, two types and any encoding are refused (rel:B2-3, B2-4)', () => {
    const encoded = ['Content-Type', 'application/json', 'content-encoding', 'identity'];

    expect(type()).toBe('unsupported_media_type');
    expect(type('application/json', 'application/json')).toBe('unsupported_media_type');
    expect(codeOf(() => requireJsonType(encoded))).toBe('unsupported_media_type');
  });
});

describe('reading a body', () => {
  test('a body of exactly the limit passes, one byte more is refused, chunked or not (rel:B2-4)', async () => {
    const { url } = await bodyServer();
    const send = async (size: number, chunked: boolean) => {
      const bytes = new Uint8Array(size);
      const body = chunked ? new Blob([bytes]).stream() : bytes;
      const init: RequestInit & { duplex: 'half' } = { method: 'POST', body, duplex: 'half' };
      const response = await fetch(url, init);
      return response.text();
    };

    expect(await send(2_097_152, false)).toBe('2097152');
    expect(await send(2_097_152, true)).toBe('2097152');
    expect(await send(2_097_153, false)).toBe('body_too_large');
    expect(await send(2_097_153, true)).toBe('body_too_large');
  });

  test('a body that does not end in time is refused, and so is one cut off (rel:B2-4)', async () => {
    const { port, outcome } = await bodyServer(50);
    const slow = connect(port, '127.0.0.1');
    slow.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nabc');
    const timedOut = await outcome();
    slow.destroy();
    const cut = connect(port, '127.0.0.1');
    cut.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nabc');
    await once(cut, 'connect');
    cut.end();

    expect(timedOut).toBe('request_timeout');
    expect(await outcome()).toBe('incomplete_body');
  });
});

async function bodyServer(timeoutMs = 5_000) {
  const outcomes: string[] = [];
  let wake = () => {};
  const server = createServer((request, response) => {
    void readBody(request, { timeoutMs })
      .then((bytes) => String(bytes.length))
      .catch((error: Refusal) => error.code)
      .then((text) => {
        outcomes.push(text);
        wake();
        response.end(text);
      });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const outcome = async () => {
    while (outcomes.length === 0) await new Promise<void>((resolve) => void (wake = resolve));
    return outcomes.shift();
  };
  return { url: `http://127.0.0.1:${port}/`, port, outcome };
}
