const BYTES = 4_096;
const scratch = new Uint8Array(BYTES);
const encoder = new TextEncoder();
const decoder = new TextDecoder();

/**
 * Returns at most `bytes` bytes (up to 4096) of a text, without half a character and as PostgreSQL
 * accepts it: no NUL and no lone surrogate, which would fail a whole batch. A shortened text is a
 * copy, since a slice would keep the entire string in memory.
 */
export function cutText(text: string, bytes: number): string {
  const fits = text.length * 3 <= bytes;
  if (fits && !text.includes('\0') && text.isWellFormed()) return text;
  const { written } = encoder.encodeInto(text, scratch.subarray(0, bytes));
  return decoder.decode(scratch.subarray(0, written)).replaceAll('\0', '');
}
