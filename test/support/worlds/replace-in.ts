import { Transform } from 'node:stream';

/** Replaces an ASCII text in a byte stream, regardless of how it is split into chunks. */
export function replaceIn(from: string, to: string): Transform {
  let rest = '';
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      // latin1 maps each byte to one character, regardless of the actual encoding.
      const text = (rest + chunk.toString('latin1')).replaceAll(from, to);
      const pending = pendingLength(text, from);
      rest = text.slice(text.length - pending);
      done(null, Buffer.from(text.slice(0, text.length - pending), 'latin1'));
    },
    flush(done) {
      done(null, Buffer.from(rest, 'latin1'));
    },
  });
}

/** Returns how many characters at the end may be the beginning of `from`. */
function pendingLength(text: string, from: string): number {
  for (let length = Math.min(from.length - 1, text.length); length > 0; length -= 1)
    if (text.endsWith(from.slice(0, length))) return length;
  return 0;
}
