import { finished, Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { Reply } from '../../caller/route.ts';
import { setCookies } from '../pages/pages.ts';

/** A reply as it is sent. */
export type SentReply = Omit<Reply, 'events'>;

export async function sendReply(
  reply: FastifyReply,
  result: SentReply,
  secure: boolean,
): Promise<void> {
  setCookies(reply, result.cookies ?? [], secure);
  reply.status(result.status).headers(result.headers ?? {});
  if (result.pieces !== undefined) return sendPieces(reply, result.pieces, result.content_type);
  if (result.body === undefined) await reply.send();
  else await reply.type('application/json').send(JSON.stringify(result.body));
}

// How long a client may go without reading.
const SILENCE_MS = 60_000;

/**
 * Streams a body. If that fails, the connection is closed, so that a partial body is not taken for
 * a complete one.
 */
async function sendPieces(
  reply: FastifyReply,
  pieces: AsyncIterable<string>,
  contentType = 'application/json',
): Promise<void> {
  reply.raw.setTimeout(SILENCE_MS, () => {
    reply.raw.destroy();
  });
  const stream = Readable.from(pieces, { highWaterMark: 1 });
  // Also if the client had gone before, or sent HEAD.
  finished(reply.raw, () => void stream.destroy());
  await reply.type(contentType).send(stream);
}
