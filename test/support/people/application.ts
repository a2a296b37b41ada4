import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { challengeOf } from './oauth.ts';
import type { TestClient } from './oauth.ts';
import type { Gateway } from '../worlds/world.ts';

export const VERIFIER = 'v'.repeat(43);

/** Starts an application that receives the answers to its requests at its redirect URI. */
export async function createApplication() {
  const answers: Record<string, string>[] = [];
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url!, 'http://x');
    // Not for the icon that a browser requests.
    if (pathname === '/cb') answers.push(Object.fromEntries(searchParams));
    response.end('done');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    redirect_uri: `http://127.0.0.1:${(server.address() as AddressInfo).port}/cb`,
    answers,
    close: () => server.close(),
  };
}

/** Returns the link with which an application sends a person's browser to the gateway. */
export const linkTo = ({ config }: Pick<Gateway, 'config'>, client: TestClient): string =>
  `${config.PUBLIC_URL}/oauth/authorize?${String(
    new URLSearchParams({
      ...{ response_type: 'code', client_id: client.id, redirect_uri: client.redirect_uri },
      ...{ code_challenge: challengeOf(VERIFIER), code_challenge_method: 'S256', state: 's1' },
    }),
  )}`;
