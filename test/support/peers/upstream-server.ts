import { createServer } from 'node:http';
import type { IncomingHttpHeaders, RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** A recorded request. */
export interface RecordedRequest {
  method: string;
  url: string;
  headers: IncomingHttpHeaders;
  body: string;
}

/**
 * An HTTP server for custom tools to call; records requests and responds as the test configures.
 */
export interface UpstreamServer {
  host: string;
  origin: string;
  arrived: RecordedRequest[];
  close(): void;
}

/** Starts the server with the given routes; any other path echoes the request as JSON. */
export async function startUpstreamServer(
  routes: Readonly<Record<string, RequestListener>> = {},
): Promise<UpstreamServer> {
  const arrived: RecordedRequest[] = [];
  const respond: RequestListener = (request, response) => {
    const { method = '', url = '', headers } = request;
    void buffer(request).then((bytes) => {
      const recorded = { method, url, headers, body: bytes.toString('utf8') };
      arrived.push(recorded);
      const route = routes[url.split('?')[0]!] ?? echo(recorded);
      route(request, response);
    });
  };
  const server = createServer(respond);
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    host,
    origin: `http://${host}`,
    arrived,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

const echo =
  (recorded: RecordedRequest): RequestListener =>
  (_request, response) =>
    void response.setHeader('content-type', 'application/json').end(JSON.stringify(recorded));
