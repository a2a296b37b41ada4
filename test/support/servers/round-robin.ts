import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { replaceIn } from '../worlds/replace-in.ts';

export interface RoundRobin {
  url: string;
  close(): Promise<void>;
}

export interface RoundRobinOptions {
  targets: readonly string[];
  /** 0 for any free port. */
  port?: number;
  /** Headers added unless the client sent them, for a suite that cannot authenticate. */
  headers?: Readonly<Record<string, string>>;
  /**
   * A URI prefix of clients and its replacement for the gateways, for a suite with its own URIs.
   */
  alias?: { outside: string; inside: string };
  /** Sends each gateway its own Host, if its public URL is not the balancer's. */
  rewritesHost?: boolean;
}

/**
 * Starts a balancer without sticky sessions: each request goes to the next gateway, bytes unchanged
 * except for the alias.
 */
export async function startRoundRobin(options: RoundRobinOptions): Promise<RoundRobin> {
  const { targets, port = 0, headers = {}, alias, rewritesHost = false } = options;
  let index = 0;
  const server = createServer((incoming, answer) => {
    const target = new URL(targets[index++ % targets.length]!);
    const outgoing = request({
      host: target.hostname,
      port: target.port,
      method: incoming.method,
      path: incoming.url,
      // Host and Origin are forwarded unchanged: the gateway checks them.
      headers: {
        ...headers,
        ...(alias ? withAlias(incoming.headers, alias) : incoming.headers),
        ...(rewritesHost ? { host: target.host } : {}),
      },
    });
    outgoing.on('response', (response) => {
      answer.writeHead(
        response.statusCode ?? 502,
        alias ? withoutLength(response.rawHeaders) : response.rawHeaders,
      );
      answer.flushHeaders();
      if (alias) response.pipe(replaceIn(alias.inside, alias.outside)).pipe(answer);
      else response.pipe(answer);
    });
    outgoing.on('error', () => {
      if (answer.headersSent) answer.destroy();
      else answer.writeHead(502).end();
    });
    answer.on('close', () => void outgoing.destroy());
    if (alias) incoming.pipe(replaceIn(alias.outside, alias.inside)).pipe(outgoing);
    else incoming.pipe(outgoing);
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

/** Also replaces the prefix in `Mcp-Name`, and drops the length, which the replacement changes. */
function withAlias(
  { 'content-length': length, 'mcp-name': name, ...rest }: IncomingHttpHeaders,
  { outside, inside }: NonNullable<RoundRobinOptions['alias']>,
): OutgoingHttpHeaders {
  return {
    ...rest,
    ...(name === undefined ? {} : { 'mcp-name': String(name).replaceAll(outside, inside) }),
    ...(length === undefined ? {} : { 'transfer-encoding': 'chunked' }),
  };
}

const withoutLength = (rawHeaders: readonly string[]): string[] =>
  rawHeaders.filter(
    (_, index) => rawHeaders[index - (index % 2)]!.toLowerCase() !== 'content-length',
  );
