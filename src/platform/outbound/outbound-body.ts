import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';
import { OutboundError } from './outbound-error.ts';

/** Decompresses a body, to at most `maxBytes`. */
export async function decompress(
  body: Buffer,
  encoding: string,
  maxBytes: number,
): Promise<Uint8Array> {
  const decompressor = decompressorOf(encoding);
  if (decompressor === null) return body;
  try {
    return await decompressor(body, { maxOutputLength: maxBytes });
  } catch (error) {
    throw (error as { code?: unknown }).code === 'ERR_BUFFER_TOO_LARGE'
      ? tooLarge(maxBytes)
      : error;
  }
}

/** Joins chunks; most responses arrive in one, which is not copied. */
export const joined = ([only = Buffer.alloc(0), ...more]: readonly Buffer[]): Buffer =>
  more.length === 0 ? only : Buffer.concat([only, ...more]);

interface BoundBodyOptions {
  maxBytes: number;
  mapError(error: unknown): unknown;
}

/** Relays the bytes as they arrive; the result fails beyond `maxBytes` or when the source fails. */
export function boundBody(stream: Readable, { maxBytes, mapError }: BoundBodyOptions): Readable {
  // The source may fail before anyone reads; a later reader gets the error.
  stream.on('error', () => {});
  const relay = async function* () {
    try {
      yield* limitBytes(stream, maxBytes);
    } catch (error) {
      throw mapError(error);
    }
  };
  const body = Readable.from(relay(), { objectMode: false });
  // A generator that never started does not destroy its source.
  return body.once('close', () => void stream.destroy());
}

async function* limitBytes(source: AsyncIterable<Buffer>, maxBytes: number) {
  let bytes = 0;
  for await (const chunk of source) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw tooLarge(maxBytes);
    yield chunk;
  }
}

export const tooLarge = (maxBytes: number) =>
  new OutboundError('too_large', `The response is larger than ${maxBytes} bytes.`);

const decompressors = {
  gzip: promisify(gunzip),
  deflate: promisify(inflate),
  br: promisify(brotliDecompress),
};

function decompressorOf(encoding: string) {
  switch (encoding.trim().toLowerCase()) {
    case '':
    case 'identity':
      return null;
    case 'gzip':
    case 'x-gzip':
      return decompressors.gzip;
    case 'deflate':
      return decompressors.deflate;
    case 'br':
      return decompressors.br;
    default:
      throw new OutboundError(
        'invalid_response',
        'The response has a content encoding that was not requested.',
      );
  }
}
