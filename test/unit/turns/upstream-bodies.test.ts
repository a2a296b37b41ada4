import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { limitStructure } from '../../../src/content/upstreams/structure-limit.ts';

const BOM = '\u{feff}';
const read = async (text: string, isEvents: boolean, size = 65_536) => {
  const bytes = Buffer.from(text);
  const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
    bytes.subarray(index * size, (index + 1) * size),
  );
  const limited = limitStructure(Readable.from(chunks), {
    ...{ fairnessKey: 'space', isEvents, countBytes() {} },
  });
  return Buffer.concat((await limited.toArray()) as Buffer[]).toString();
};

const ends = { CR: '\r', LF: '\n', CRLF: '\r\n' };

test.each(Object.entries(ends))(
  'an event stream has at most 5 000 lines, which end with %s',
  async (_name, end) => {
    const stream = (lines: number) => `data: {}${end}`.repeat(lines);

    expect(await read(stream(5_000), true)).toBe(stream(5_000));
    expect(await read(stream(5_000), true, 7)).toBe(stream(5_000));
    await expect(read(stream(5_001), true)).rejects.toThrow(/too many values/);
    await expect(read(stream(5_001), true, 7)).rejects.toThrow(/too many values/);
    await expect(read(BOM + end.repeat(6_000), true)).rejects.toThrow(/too many values/);
  },
);

test.each(Object.entries(ends))(
  'the JSON of an event is nested at most 64 levels deep, whatever other lines contain (%s)',
  async (_name, end) => {
    const open = `data: ${'['.repeat(33)}${end}`;
    const close = `: ${']'.repeat(33)}${end}id: ${']'.repeat(33)}${end}`;

    expect(await read(`${open}${end}`.repeat(9), true)).toContain('[');
    await expect(read(open + open, true)).rejects.toThrow(/nested too deeply/);
    await expect(read(open + close + open, true)).rejects.toThrow(/nested too deeply/);
    await expect(read(BOM + open + open, true)).rejects.toThrow(/nested too deeply/);
    await expect(read(`: "${end}${open}${open}`, true)).rejects.toThrow(/nested too deeply/);
  },
);

test('JSON has at most 200 000 brackets, commas, colons and line ends, outside of strings', async () => {
  const inString = JSON.stringify('[,]'.repeat(100_000));

  expect(await read(inString, false)).toBe(inString);
  await expect(read('[],'.repeat(70_000), false)).rejects.toThrow(/too many values/);
  await expect(read('\r'.repeat(200_001), false)).rejects.toThrow(/too many values/);
  await expect(read('['.repeat(65), false)).rejects.toThrow(/nested too deeply/);
});
