/** The content of a file: a text, or binary content in base64. */
export type FileContent = { text: string; blob: null } | { text: ''; blob: string };

/** Reads a file; it is a text if its bytes are valid UTF-8 without NUL. */
export async function readFile(file: File): Promise<FileContent> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    if (!text.includes('\0')) return { text, blob: null };
  } catch {
    // Not a text.
  }
  return { text: '', blob: toBase64(bytes) };
}

// A call with a million arguments would exceed the stack.
const CHUNK = 32_768;

function toBase64(bytes: Uint8Array): string {
  let binary = '';
  for (let start = 0; start < bytes.length; start += CHUNK)
    binary += String.fromCharCode(...bytes.subarray(start, start + CHUNK));
  return btoa(binary);
}

/** Returns the length in bytes of content in base64. */
export const bytesOf = (base64: string): number =>
  (base64.length / 4) * 3 - (/=*$/.exec(base64)?.[0].length ?? 0);
