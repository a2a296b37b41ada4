import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { withTimeout } from '../platform/concurrency/within.ts';
import { OperatorError } from '../platform/errors/operator-error.ts';

/** A server on a free port of this machine that waits for the answer to an authorization. */
export interface Callback {
  /** Where the browser returns. */
  redirect_uri: string;
  /** Resolves with the URL of the first answer; throws if there is none in time. */
  answer(waitMs: number): Promise<URL>;
  close(): void;
}

const PATH = '/callback';

/** Listens for the answer with this `state`; others may come from anyone, and are refused. */
export async function listenForCallback(state: string): Promise<Callback> {
  const { promise: answered, resolve } = Promise.withResolvers<URL>();
  const server = createServer((request, response) => {
    const url = URL.parse(request.url ?? '', origin);
    const isAnswer = url?.pathname === PATH && url.searchParams.get('state') === state;
    response.writeHead(isAnswer ? 200 : 404, { 'content-type': 'text/plain' });
    const text = isAnswer ? 'Return to the terminal. You can close this page.' : 'Not found.';
    response.end(text, () => {
      if (isAnswer) resolve(url);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    redirect_uri: `${origin}${PATH}`,
    answer: (waitMs) => withTimeout(answered, waitMs, late),
    close() {
      server.close();
      // A browser keeps some open.
      server.closeAllConnections();
    },
  };
}

const late = () =>
  new OperatorError('Nobody allowed or denied the client in time. Run the command again.');
