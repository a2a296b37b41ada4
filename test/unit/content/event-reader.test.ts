import fc from 'fast-check';
import { expect, test } from 'vitest';
import { EventReader } from '../../../src/content/upstreams/event-reader.ts';

/** Reads a stream in pieces; returns the data of its messages and the last event id. */
function read(text: string, sizes: readonly number[] = []) {
  const messages: string[] = [];
  const reader = new EventReader((data) => void messages.push(data.toString()));
  const bytes = Buffer.from(text);
  let at = 0;
  for (const size of sizes) {
    reader.read(bytes.subarray(at, at + size));
    at += size;
  }
  reader.read(bytes.subarray(at));
  return { messages, lastEventId: reader.lastEventId };
}

test('an event is a message with the data of its lines', () => {
  const { messages } = read('event: message\ndata: {"a":\ndata:1}\n\n: comment\n\ndata: 2\n\n');

  expect(messages).toEqual(['{"a":\n1}', '2']);
});

test('other events, empty ones and one that has not ended are no messages', () => {
  const { messages } = read('event: ping\ndata: 1\n\nid: 7\ndata:\n\ndata: 2\n\ndata: 3\n');

  expect(messages).toEqual(['2']);
});

test('the last id is remembered, also that of an event without data', () => {
  expect(read('id: a\ndata: 1\n\nid: b\ndata:\n\n').lastEventId).toBe('b');
  expect(read('data: 1\n\n').lastEventId).toBeUndefined();
});

test('a byte order mark before the first line is ignored', () => {
  expect(read('\u{feff}data: 1\n\n').messages).toEqual(['1']);
});

const line = fc.constantFrom('data: {"é":1}', 'data:2', 'id: 3', 'event: other', ': no', '', '');
const end = fc.constantFrom('\n', '\r', '\r\n');

test('the same messages arrive, however lines end and whatever the pieces are', () => {
  fc.assert(
    fc.property(
      fc.array(line),
      end,
      fc.array(fc.integer({ min: 0, max: 9 })),
      (lines, eol, sizes) => {
        const text = lines.map((one) => one + eol).join('');

        expect(read(text, sizes)).toEqual(read(lines.map((one) => `${one}\n`).join('')));
      },
    ),
  );
});

test.each(['\n', '\r', '\r\n'])('a stream has at most 5 000 lines, which end with %j', (eol) => {
  const stream = (lines: number) => `:${eol}`.repeat(lines);

  expect(read(stream(5_000)).messages).toEqual([]);
  expect(() => read(stream(5_001))).toThrow(/too many values/);
});
