import { BODY_BYTES, BODY_MARKS, marksOf } from '../../platform/http/body.ts';

// The lists themselves, the selection of built-in items apart, and a cursor.
const HEAD_BYTES = 8_192;
const HEAD_MARKS = 100;

/** What a file has room for, so that the import takes it: a body of the gateway's own. */
export function createRoom() {
  let bytes = BODY_BYTES - HEAD_BYTES;
  let marks = BODY_MARKS - HEAD_MARKS;
  return {
    bytes: (): number => bytes,
    /** False: it does not fit, and the file is full. */
    take(entry: object): boolean {
      bytes -= Buffer.byteLength(JSON.stringify(entry)) + 1;
      marks -= marksOf(entry) + 1;
      return bytes >= 0 && marks >= 0;
    },
  };
}
