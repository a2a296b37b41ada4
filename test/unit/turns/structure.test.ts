import fc from 'fast-check';
import { expect, test } from 'vitest';
import { StructureScan } from '../../../src/platform/json/structure.ts';

const limits = { levels: 4, marks: 30, shapes: 3 };

/** Scans JSON byte by byte, or in pieces of only JSON. */
function scanned(text: string, pieces?: readonly number[]) {
  const scan = new StructureScan(limits);
  const bytes = Buffer.from(text);
  let at = 0;
  if (pieces === undefined) for (const byte of bytes) scan.read(byte);
  else
    for (const size of [...pieces, bytes.length]) scan.readJson(bytes.subarray(at, (at += size)));
  const { fault, marks, depth, isString } = scan;
  return { fault, marks, depth, isString };
}

test('JSON has the same structure, whether its bytes are read one by one or at once', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 6 }), fc.array(fc.nat({ max: 12 })), (text, pieces) => {
      expect(scanned(text, pieces)).toEqual(scanned(text));
    }),
  );
});

test.each([
  ['[[[[[', 'levels'],
  [`{"a":${'[],'.repeat(20)}`, 'marks'],
  ['[{"a":1},{"b":1},{"c":1},{"d":1}]', 'shapes'],
  ['{"a":{"b":{"c":{"d":"\\"x\\\\"}}}}', 'shapes'],
  ['["a,[{:\\"","{"]', null],
])('%s exceeds its limit when it is read at once', (text, fault) => {
  expect(scanned(text, []).fault).toBe(fault);
});
