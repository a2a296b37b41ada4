import type { ServerResponse } from 'node:http';
import type { Notification } from './call.ts';
import { MAX_WAITING_BYTES, openEventStream } from './event-stream.ts';
import type { EventStream } from './event-stream.ts';

/** Creates the response of one call as an event stream, opened by its first notification. */
export function createReplyStream(response: ServerResponse) {
  let stream: EventStream | undefined;
  return {
    isOpen: () => stream !== undefined,
    notify(notification: Notification) {
      if (response.writableEnded || response.destroyed) return;
      stream ??= openEventStream(response, { maxWaitingBytes: null });
      // A client that stopped reading misses progress, but not the reply.
      if (response.writableLength > MAX_WAITING_BYTES) return;
      stream.send({ data: JSON.stringify({ jsonrpc: '2.0', ...notification }) });
    },
    /** Sends the reply and ends the stream. */
    end: (text: string) => stream?.end({ data: text }),
  };
}
export type ReplyStream = ReturnType<typeof createReplyStream>;
