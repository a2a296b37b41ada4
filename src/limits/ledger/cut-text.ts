const BYTES = 4_096;
const scratch = new Uint8Array(BYTES);
const encoder = new TextEncoder();
const decoder = new TextDecoder();

/**
 * Truncates a text to `bytes` bytes (at most 4096) without splitting a character. Removes NUL and
 * replaces lone surrogates, which PostgreSQL rejects together with the whole batch. A shortened
 * text is a copy, since a slice would keep the entire string in memory.
 */
export function cutText(text: string, bytes: number): string {
  const fits = text.length * 3 <= bytes;
  if (fits && !text.includes('\0') && text.isWellFormed()) return text;
  const { written } = encoder.encodeInto(text, scratch.subarray(0, bytes));
  return decoder.decode(scratch.subarray(0, written)).replaceAll('\0', '');
}
