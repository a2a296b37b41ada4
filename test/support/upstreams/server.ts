import { createServer } from 'node:http';
import type { IncomingMessage, RequestListener } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

/** Method and headers of a recorded request. */
export interface Seen {
  method: string;
  headers: IncomingMessage['headers'];
}

/** An HTTP server on a free loopback port that records request headers. */
export interface UpstreamServer {
  url: string;
  seen: Seen[];
  /** Returns the number of open responses, including streams. */
  open(): number;
  /** Returns the bytes sent, headers included. */
  taken(): number;
  close(): Promise<void>;
}

export async function listen(handle: RequestListener): Promise<UpstreamServer> {
  const seen: Seen[] = [];
  let open = 0;
  const server = createServer((request, response) => {
    seen.push({ method: request.method ?? '', headers: request.headers });
    open += 1;
    response.once('close', () => void (open -= 1));
    handle(request, response);
  });
  const sockets: Socket[] = [];
  server.on('connection', (socket) => void sockets.push(socket));
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    seen,
    open: () => open,
    taken: () => sockets.reduce((sum, { bytesWritten }) => sum + bytesWritten, 0),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
