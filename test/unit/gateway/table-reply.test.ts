import { text } from 'node:stream/consumers';
import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { parse } from 'csv-parse/sync';
import { tableReply } from '../../../src/gateway/rest/table-reply.ts';

const table = { file_name: 'list', columns: ['id', 'actor.kind', 'detail'] };

async function* pagesOf(...pages: (readonly object[])[]) {
  yield* pages;
}
const csvOf = async (...pages: (readonly object[])[]) => {
  const { pieces } = await tableReply(table, 'csv', pagesOf(...pages), 'owner');
  return text(Readable.from(pieces!));
};

test.each([
  ['=1+1', "'=1+1"],
  ['+1', "'+1"],
  ['-1', "'-1"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['\t=1', "'\t'=1"],
  ['\r=1', "'\r'=1"],
  // Languages with a decimal comma separate by semicolons.
  ['x;=1+1;y', "x;'=1+1;y"],
  ['x\n@SUM(A1)', "x\n'@SUM(A1)"],
  ['x;＝1', "x;'＝1"],
  ['x;"=1+1', `x;'"=1+1`],
])(
  'the cell %j gets apostrophes, as no spreadsheet may take a part of it for a formula',
  async (id, escaped) => {
    const [, row] = parse(await csvOf([{ id, actor: null, detail: null }]), {
      record_delimiter: '\r\n',
    });

    expect(row).toEqual([escaped, '', '']);
  },
);

test('cells with commas, quotes and line breaks are quoted as in RFC 4180', async () => {
  const id = 'a, "b"\r\nc\nd';
  const detail = { after: ['x', 1] };
  const csv = await csvOf([{ id, actor: { kind: 'user' }, detail }], [{ id: 'second' }]);

  expect(csv).toBe(
    `id,actor.kind,detail\r\n"a, ""b""\r\nc\nd",user,"{""after"":[""x"",1]}"\r\nsecond,,\r\n`,
  );
});

test('a table without entries is a header as CSV, and empty as JSON lines', async () => {
  expect(await csvOf()).toBe('id,actor.kind,detail\r\n');
  const { pieces } = await tableReply(table, 'jsonl', pagesOf(), 'owner');
  expect(await text(Readable.from(pieces!))).toBe('');
});

test('a page is read when the one before it has been taken, and none after the client has gone', async () => {
  let read = 0;
  let ended = false;
  async function* pages() {
    try {
      for (;;) {
        read += 1;
        yield [{ id: String(read) }];
      }
    } finally {
      ended = true;
    }
  }
  const { pieces } = await tableReply(table, 'jsonl', pages(), 'owner');
  const iterator = pieces![Symbol.asyncIterator]();

  expect(read).toBe(1);
  expect(await iterator.next()).toEqual({ done: false, value: '{"id":"1"}\n' });
  expect(read).toBe(1);
  expect(await iterator.next()).toEqual({ done: false, value: '{"id":"2"}\n' });
  expect([read, ended]).toEqual([2, false]);
  await iterator.return?.();
  expect([read, ended]).toEqual([2, true]);
});

test('what the first page throws is thrown before the reply begins', async () => {
  async function* pages(): AsyncGenerator<readonly object[]> {
    yield await Promise.reject<object[]>(new Error('down'));
  }

  await expect(tableReply(table, 'csv', pages(), 'owner')).rejects.toThrow('down');
});
