import { once } from 'node:events';
import { createServer, request as forward } from 'node:http';
import type {
  IncomingHttpHeaders,
  IncomingMessage,
  OutgoingHttpHeaders,
  RequestListener,
} from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import type { SigningPair } from '../peers/saml/signing-pair.ts';

/** What a wrongly configured reverse proxy does; without faults it changes nothing. */
export interface ProxyFaults {
  /** Waits for the end of each response before it sends any of it. */
  buffers?: boolean;
  /** Changes the headers of requests. */
  request?(headers: IncomingHttpHeaders): OutgoingHttpHeaders;
  /** Changes the headers of responses. */
  response?(headers: IncomingHttpHeaders): OutgoingHttpHeaders;
  /** Answers these paths with a page, as a server of a single-page application does. */
  pages?: RegExp;
}

/** A reverse proxy for one test; the gateway behind it needs its URL before it starts. */
export interface HttpProxy {
  url: string;
  /** Forwards to a gateway from now on. */
  target(url: string): void;
  faults: ProxyFaults;
}

/**
 * Starts a reverse proxy on loopback that appends the client's address to `X-Forwarded-For`; with
 * a certificate, it serves https.
 */
export async function useHttpProxy(tls?: SigningPair): Promise<HttpProxy> {
  let target = '';
  const handle: RequestListener = (incoming, outgoing) => {
    const { faults } = proxy;
    if (faults.pages?.test(incoming.url ?? '') === true) {
      outgoing.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html>');
      return;
    }
    const appended = { ...incoming.headers, 'x-forwarded-for': forwardedFor(incoming) };
    const { method = 'GET', url = '/' } = incoming;
    const headers = defined(faults.request?.(appended) ?? appended);
    const sent = forward(new URL(url, target), { method, headers, agent: false }, (answer) => {
      const { statusCode = 502, headers: answered } = answer;
      outgoing.writeHead(statusCode, defined(faults.response?.(answered) ?? answered));
      if (faults.buffers === true) void buffer(answer).then((body) => outgoing.end(body));
      else answer.pipe(outgoing);
    });
    sent.on('error', () => void outgoing.destroy());
    incoming.pipe(sent);
  };
  const server =
    tls === undefined
      ? createServer(handle)
      : createTlsServer({ key: tls.key, cert: tls.certificate }, handle);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const proxy: HttpProxy = {
    url: `${tls === undefined ? 'http' : 'https'}://localhost:${(server.address() as AddressInfo).port}`,
    target: (url) => void (target = url),
    faults: {},
  };
  return proxy;
}

/** Leaves out headers without a value, which Node refuses to send. */
const defined = (headers: OutgoingHttpHeaders): OutgoingHttpHeaders =>
  Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined));

const forwardedFor = ({ headers, socket }: IncomingMessage): string =>
  [headers['x-forwarded-for'], socket.remoteAddress].flat().filter(Boolean).join(', ');
