import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface RoundRobin {
  url: string;
  close(): Promise<void>;
}

export interface RoundRobinOptions {
  targets: readonly string[];
  /** 0: any free port. */
  port?: number;
  /** Added where the client sent none of that name: a suite that cannot authenticate. */
  headers?: Readonly<Record<string, string>>;
}

/** A balancer without sticky sessions: each request goes to the next gateway, bytes unchanged. */
export async function startRoundRobin(options: RoundRobinOptions): Promise<RoundRobin> {
  const { targets, port = 0, headers = {} } = options;
  let turn = 0;
  const server = createServer((incoming, answer) => {
    const target = new URL(targets[turn++ % targets.length]!);
    const outgoing = request({
      host: target.hostname,
      port: target.port,
      method: incoming.method,
      path: incoming.url,
      // Host and Origin pass as they came: the gateway judges them.
      headers: { ...headers, ...incoming.headers },
    });
    outgoing.on('response', (response) => {
      answer.writeHead(response.statusCode ?? 502, response.rawHeaders);
      answer.flushHeaders();
      response.pipe(answer);
    });
    outgoing.on('error', () => {
      if (answer.headersSent) answer.destroy();
      else answer.writeHead(502).end();
    });
    answer.on('close', () => void outgoing.destroy());
    incoming.pipe(outgoing);
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}`,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
