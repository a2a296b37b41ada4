import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { OutboundError } from './outbound-error.ts';

interface ReadBodyOptions {
  encoding: string;
  maxBytes: number;
  signal: AbortSignal;
}

/** Reads at most `maxBytes`, both compressed and decompressed; destroys the stream beyond that. */
export async function readBody(
  stream: Readable,
  { encoding, maxBytes, signal }: ReadBodyOptions,
): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  const collect = async (source: AsyncIterable<Buffer>) => {
    for await (const chunk of limitBytes(source, maxBytes)) chunks.push(chunk);
  };
  const decompress = decompressor(encoding);
  const sent = (source: AsyncIterable<Buffer>) => limitBytes(source, maxBytes);
  await (decompress
    ? pipeline(stream, sent, decompress, collect, { signal })
    : pipeline(stream, collect, { signal }));
  return Buffer.concat(chunks);
}

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
    if (bytes > maxBytes)
      throw new OutboundError('too_large', `The response is larger than ${maxBytes} bytes.`);
    yield chunk;
  }
}

function decompressor(encoding: string) {
  switch (encoding.trim().toLowerCase()) {
    case '':
    case 'identity':
      return null;
    case 'gzip':
    case 'x-gzip':
      return createGunzip();
    case 'deflate':
      return createInflate();
    case 'br':
      return createBrotliDecompress();
    default:
      throw new OutboundError(
        'invalid_response',
        'The response has a content encoding that was not requested.',
      );
  }
}
