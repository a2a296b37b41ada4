import { randomUUID } from 'node:crypto';
import { decodeJwt } from 'jose';
import type { CreatedClient } from '../../../src/oauth/clients/schema.ts';
import { createOAuthPeer } from '../../support/people/oauth.ts';
import type { TestClient } from '../../support/people/oauth.ts';
import { selectTools, signUp } from '../../support/people/people.ts';
import { freePort } from '../../support/servers/free-port.ts';
import { withConnections } from '../connections.ts';
import type { Chain } from '../load.ts';
import { modern } from '../messages.ts';
import { request } from '../organizations/people.ts';
import type { Measured } from '../organizations/people.ts';
import { startPeer } from '../process.ts';
import type { Target } from '../targets.ts';
import { CONNECTIONS, ratio } from '../turns.ts';
import type { Contender, Row } from '../turns.ts';

// More than a gateway remembers the signatures of: in turns, each token is new to it.
const COLD_TOKENS = 12_000;
const REDIRECT = 'https://client.example/callback';

type On = Pick<Measured, 'gateway' | 'env' | 'port' | 'url' | 'mailbox' | 'deployment'>;

/**
 * Returns refreshes at the gateway and at a plain oidc-provider, and calls with tokens that the
 * gateway has not seen and with one that it has.
 */
export async function oauthContenders(on: On): Promise<Contender[]> {
  const person = await signUp(on, on);
  await selectTools(person, ['noop']);
  const created = await request<CreatedClient>(person, {
    path: '/api/me/oauth-clients',
    body: {
      ...{ name: 'Bench', type: 'public', grant_types: ['authorization_code', 'refresh_token'] },
      ...{ redirect_uris: [REDIRECT], allowed_scopes: ['mcp_tools'] },
    },
  });
  const client: TestClient = {
    ...{ id: created.id, secret: null, redirect_uri: REDIRECT, scopes: ['mcp_tools'] },
  };
  const oauth = createOAuthPeer({ url: on.url, config: { PUBLIC_URL: on.env['PUBLIC_URL']! } });
  const authorized = async () =>
    (await oauth.exchange(client, await oauth.authorize(client, person))).body;
  const refreshTokens = await inTurn(async () => (await authorized())['refresh_token']!);
  const { access_token } = await authorized();
  const cold = await withConnections(on, (connections) =>
    Promise.all(
      Array.from({ length: COLD_TOKENS }, () =>
        connections.token(decodeJwt(access_token!)['cid'] as string, { jti: randomUUID() }),
      ),
    ),
  );
  const callWith = (tokens: readonly string[]) => ({
    port: on.port,
    chains: Array.from({ length: CONNECTIONS }, (_, connection) =>
      callsInTurn(tokens.filter((_token, index) => index % CONNECTIONS === connection)),
    ),
  });
  const [peer, expecting] = [on.gateway, '"ok":true'];
  const refreshes = { port: on.port, chains: chainsOf(client.id, refreshTokens) };
  return [
    { name: 'refresh', peer, load: refreshes, expecting: REFRESHED },
    await plainProvider(),
    { name: 'call, cold token', peer, load: callWith(cold), expecting },
    { name: 'call, warm token', peer, load: callWith(cold.map(() => access_token!)), expecting },
  ];
}

/** Calls a tool with one token after the other; in the next round, it continues where it was. */
function callsInTurn(tokens: readonly string[]): Chain {
  let index = 0;
  return {
    next: () => modern('tools/call', tokens[index++ % tokens.length]),
    answered: () => {},
  };
}

async function plainProvider(): Promise<Contender> {
  const port = await freePort();
  const peer = await startPeer('oidc-provider', { PORT: String(port) });
  const tokens = await inTurn(async () => {
    const answer = await fetch(`http://127.0.0.1:${port}/refresh-token`);
    return answer.text();
  });
  const load = { port, chains: chainsOf('bench', tokens) };
  return { name: 'refresh, plain', peer, load, expecting: REFRESHED };
}

/** Creates one for each connection, one after another. */
async function inTurn(create: () => Promise<string>): Promise<string[]> {
  const created: string[] = [];
  while (created.length < CONNECTIONS) created.push(await create());
  return created;
}

const REFRESHED = '"refresh_token":"';

/** Returns chains that refresh again and again, each with the token that it got last. */
const chainsOf = (client_id: string, tokens: readonly string[]): Chain[] =>
  tokens.map((first) => {
    let refresh_token = first;
    return {
      next: () => ({
        ...{ path: '/oauth/token', headers: {}, contentType: 'application/x-www-form-urlencoded' },
        body: new URLSearchParams({
          ...{ grant_type: 'refresh_token', client_id, refresh_token },
        }).toString(),
      }),
      answered(response) {
        refresh_token = /"refresh_token":"([^"]+)"/.exec(response)![1]!;
      },
    };
  });

/** Targets for the authorization server; the plain provider stores nothing that lasts. */
export function oauthTargets(rows: readonly Row[]): Target[] {
  const [refresh, plain, cold, warm] = rows as [Row, Row, Row, Row];
  return [
    {
      ...{ name: 'refresh / plain oidc-provider: CPU', kind: 'at most', limit: 6 },
      value: ratio(refresh, plain, 'cpuMicros'),
    },
    {
      ...{ name: 'call, cold token / warm token: CPU', kind: 'at most', limit: 2.5 },
      value: ratio(cold, warm, 'cpuMicros'),
    },
  ];
}
