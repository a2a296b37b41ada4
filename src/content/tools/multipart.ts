import type { ValueEncoding } from './schema.ts';
import { fileOf } from './file-argument.ts';
import { scalarText } from './template.ts';
import { isJsonEncoding, pairsOf } from './value-encoding.ts';

/** One part of a multipart body. */
export interface Part {
  name: string;
  file_name: string | null;
  type: string | null;
  content: string | Uint8Array;
}

/** Serializes parts as `multipart/form-data` (RFC 7578). */
export function multipartOf(parts: readonly Part[]): { content_type: string; body: Buffer } {
  const boundary = `form-${crypto.randomUUID()}`;
  const body = Buffer.concat([
    ...parts.flatMap((part) => [
      Buffer.from(`--${boundary}\r\n${headersOf(part)}\r\n\r\n`),
      Buffer.from(part.content as Uint8Array),
      Buffer.from('\r\n'),
    ]),
    Buffer.from(`--${boundary}--\r\n`),
  ]);
  return { content_type: `multipart/form-data; boundary=${boundary}`, body };
}

/**
 * Returns the parts of one field. An array repeats its part; an object without a style becomes JSON,
 * as OpenAPI says.
 */
export function multipartParts(name: string, value: unknown, encoding: ValueEncoding = {}): Part[] {
  if (value === undefined || value === null) return [];
  const part = (content: Part['content'], type: string | null, file_name: string | null = null) => [
    { name, file_name, type, content },
  ];
  const type = concreteType(encoding);
  const file = fileOf(value);
  if (file !== null)
    return part(
      file.bytes,
      file.media_type ?? type ?? 'application/octet-stream',
      file.file_name ?? name,
    );
  if (encoding.style !== undefined && !isJsonEncoding(encoding))
    return pairsOf(name, value, encoding, 'body').map((pair) => ({
      ...{ name: pair.name, file_name: null, type: null },
      content: pair.values.join(pair.separator),
    }));
  if (Array.isArray(value))
    return value.flatMap((element) => multipartParts(name, element, encoding));
  if (isJsonEncoding(encoding)) return part(JSON.stringify(value), type);
  if (typeof value === 'object') return part(JSON.stringify(value), 'application/json');
  return part(scalarText(value, name), type);
}

/** Returns the first media type that is not a range. */
const concreteType = ({ content_type = '' }: ValueEncoding): string | null =>
  content_type
    .split(',')
    .map((type) => type.trim())
    .find((type) => type !== '' && !type.includes('*')) ?? null;

function headersOf({ name, file_name, type }: Part): string {
  const file = file_name === null ? '' : `; filename="${quoted(file_name)}"`;
  const contentType = type === null ? '' : `\r\nContent-Type: ${type}`;
  return `Content-Disposition: form-data; name="${quoted(name)}"${file}${contentType}`;
}

/** Escapes the characters that would end a quoted parameter or its line, as browsers do. */
const quoted = (text: string) =>
  text.toWellFormed().replaceAll(/["\r\n\0]/g, (character) => encodeURIComponent(character));
