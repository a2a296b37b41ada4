const BYTES = 4_096;
const scratch = new Uint8Array(BYTES);
const encoder = new TextEncoder();
const decoder = new TextDecoder();

/**
 * At most so many bytes (up to 4096) of a text, never half a character, as PostgreSQL takes it: no
 * NUL, no lone surrogate, one of which would hold up a whole batch. What is cut off is not kept
 * alive: a slice of a string holds all of it.
 */
export function cutText(text: string, bytes: number): string {
  const fits = text.length * 3 <= bytes;
  if (fits && !text.includes('\0') && text.isWellFormed()) return text;
  const { written } = encoder.encodeInto(text, scratch.subarray(0, bytes));
  return decoder.decode(scratch.subarray(0, written)).replaceAll('\0', '');
}
