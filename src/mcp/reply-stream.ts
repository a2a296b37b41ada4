import type { ServerResponse } from 'node:http';
import type { Notification } from './call.ts';
import { streamHeaders } from './http.ts';

const KEEP_ALIVE_MS = 15_000;
// A reader that stopped reading misses progress, not the answer.
const WAITING_BYTES = 65_536;

/** The response of one call as an event stream, opened by its first notification. */
export interface ReplyStream {
  readonly isOpen: boolean;
  notify(notification: Notification): void;
  end(text: string): void;
}

export function createReplyStream(response: ServerResponse): ReplyStream {
  let keepAlive: NodeJS.Timeout | undefined;

  function open() {
    response.writeHead(200, streamHeaders);
    keepAlive = setInterval(() => response.write(': \n\n'), KEEP_ALIVE_MS);
    response.once('close', () => clearInterval(keepAlive));
  }

  return {
    get isOpen() {
      return keepAlive !== undefined;
    },
    notify(notification) {
      if (response.writableEnded || response.destroyed) return;
      if (keepAlive === undefined) open();
      if (response.writableLength > WAITING_BYTES) return;
      response.write(event(JSON.stringify({ jsonrpc: '2.0', ...notification })));
    },
    end(text) {
      clearInterval(keepAlive);
      response.end(event(text));
    },
  };
}

const event = (text: string) => `event: message\ndata: ${text}\n\n`;
