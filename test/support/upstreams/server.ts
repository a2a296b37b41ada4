import { createServer } from 'node:http';
import type { IncomingMessage, RequestListener } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

/** What one request brought, for what must or must not go upstream. */
export interface Seen {
  method: string;
  headers: IncomingMessage['headers'];
}

/** An HTTP server on a free port of loopback that keeps the heads of what it was asked. */
export interface UpstreamServer {
  url: string;
  seen: Seen[];
  /** Answers under way, streams too. */
  open(): number;
  /** Bytes that were taken from it, heads and all. */
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
