import { expect, test } from 'vitest';
import { oauthClientPresets } from '../../../src/snippets/oauth-clients.ts';
import { challengeOf, createOAuthPeer } from '../../support/people/oauth.ts';
import type { TestClient } from '../../support/people/oauth.ts';
import { createOrganization } from '../../support/people/organizations.ts';
import { oneAddress, selectTools, signUp } from '../../support/people/people.ts';
import { useGateway } from '../../support/worlds/use-gateway.ts';
import { ask } from '../mcp/key-holder.ts';
import { clientsIn, OWN, registered } from './clients/registering.ts';

const { world, gateway } = await useGateway(oneAddress);
const peer = createOAuthPeer(gateway);
const ann = await signUp(world, gateway, 'ann');
const acme = (await createOrganization(ann)).id;
await selectTools(ann, ['calculator']);

/** Fetches JSON by its public address. */
async function json(address: string): Promise<Record<string, unknown>> {
  const answer = await fetch(address.replace(gateway.config.PUBLIC_URL, gateway.url));
  return (await answer.json()) as Record<string, unknown>;
}

/**
 * What a client without a token does: calls `/mcp`, and follows the challenge to the metadata of
 * the resource and of its authorization server.
 */
async function discover() {
  const answer = await fetch(`${gateway.url}/mcp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
  });
  const challenge = answer.headers.get('www-authenticate') ?? '';
  const resource = await json(/resource_metadata="([^"]+)"/.exec(challenge)![1]!);
  const [issuer] = resource['authorization_servers'] as string[];
  const server = await json(`${issuer}/.well-known/oauth-authorization-server`);
  return {
    status: answer.status,
    resource: resource['resource'] as string,
    scopes: resource['scopes_supported'] as string[],
    server,
  };
}

/** How a client asks for a token, beyond what all of them send. */
interface Habits {
  preset: string;
  type: 'public' | 'confidential';
  /** What is registered, and what the client sends. */
  redirect_uri: readonly [registered: string, sent: string];
  /** The `scope` it sends, if any. */
  scope(supported: readonly string[]): string | undefined;
  /** How often it sends `resource` to the authorization endpoint; with 0, it never sends it. */
  resources: number;
}

const allOf = (supported: readonly string[]) => supported.join(' ');

const habits: Record<string, Habits> = {
  'Claude Code': {
    ...{ preset: 'claude_code', type: 'public' },
    redirect_uri: ['http://localhost/callback', 'http://localhost:53412/callback'],
    ...{ scope: (supported) => `${allOf(supported)} offline_access`, resources: 1 },
  },
  'Claude Code with a secret': {
    ...{ preset: 'claude_code', type: 'confidential' },
    redirect_uri: ['http://localhost:8080/callback', 'http://localhost:8080/callback'],
    ...{ scope: allOf, resources: 1 },
  },
  'claude.ai': {
    ...{ preset: 'claude', type: 'confidential' },
    redirect_uri: [
      'https://claude.ai/api/mcp/auth_callback',
      'https://claude.ai/api/mcp/auth_callback',
    ],
    ...{ scope: allOf, resources: 1 },
  },
  Cursor: {
    ...{ preset: 'cursor', type: 'public' },
    redirect_uri: [
      'cursor://anysphere.cursor-mcp/oauth/callback',
      'cursor://anysphere.cursor-mcp/oauth/callback',
    ],
    ...{ scope: allOf, resources: 1 },
  },
  'VS Code': {
    ...{ preset: 'vscode', type: 'public' },
    redirect_uri: ['http://127.0.0.1/', 'http://127.0.0.1:59656/'],
    ...{ scope: allOf, resources: 1 },
  },
  Codex: {
    ...{ preset: 'codex', type: 'public' },
    redirect_uri: ['http://127.0.0.1/callback/8d1f', 'http://127.0.0.1:41217/callback/8d1f'],
    ...{ scope: allOf, resources: 2 },
  },
  ChatGPT: {
    ...{ preset: 'chatgpt', type: 'confidential' },
    redirect_uri: [
      'https://chatgpt.com/connector/oauth/Qm9x',
      'https://chatgpt.com/connector/oauth/Qm9x',
    ],
    ...{ scope: () => undefined, resources: 1 },
  },
  'ChatGPT without a resource': {
    ...{ preset: 'chatgpt', type: 'public' },
    redirect_uri: [
      'https://chatgpt.com/connector_platform_oauth_redirect',
      'https://chatgpt.com/connector_platform_oauth_redirect',
    ],
    ...{ scope: () => undefined, resources: 0 },
  },
  'Gemini CLI': {
    ...{ preset: 'gemini_cli', type: 'public' },
    redirect_uri: ['http://localhost:7777/oauth/callback', 'http://localhost:7777/oauth/callback'],
    ...{ scope: allOf, resources: 1 },
  },
};

const SCOPES = ['mcp_tools', 'mcp_resources', 'mcp_prompts', 'mcp_agents'];

/** Registers a client and signs in as it does; returns its tokens. */
async function connect(name: string, path: string) {
  const { type, redirect_uri, scope, resources } = habits[name]!;
  const [registeredUri, sent] = redirect_uri;
  const client = await registered(ann, path, {
    ...{ name, type, grant_types: ['authorization_code', 'refresh_token'] },
    ...{ redirect_uris: [registeredUri], allowed_scopes: SCOPES },
  });
  const { resource, scopes, server } = await discover();
  const tested: TestClient = {
    ...{ id: client.id, secret: client.client_secret, redirect_uri: sent, scopes: SCOPES },
  };
  const requested = scope(scopes);
  const query = requested === undefined ? {} : { scope: requested };
  const named: Record<string, string> = resources === 0 ? {} : { resource };
  const started = await peer.start(tested, { ...query, ...named });
  expect([name, started.status]).toEqual([name, 303]);
  const repeated = resources > 1 ? await repeat(tested, query, resource, resources) : started;
  const { body } = await peer.decide(repeated, ann);
  const { location, params } = await peer.finish(repeated, body.to);
  expect(location.startsWith(`${sent}?`), location).toBe(true);
  expect(params['iss']).toBe(server['issuer']);
  const grant = { code: params['code']!, code_verifier: repeated.verifier };
  const tokens = await peer.exchange(tested, grant, named);
  expect([name, tokens.status]).toEqual([name, 200]);
  return { tested, named, tokens };
}

/** Starts an authorization that names the resource several times. */
async function repeat(
  client: TestClient,
  params: Record<string, string>,
  resource: string,
  count: number,
) {
  const started = await peer.start(client, params);
  const verifier = 'v'.repeat(43);
  const query = new URLSearchParams({
    ...{ response_type: 'code', client_id: client.id, redirect_uri: client.redirect_uri },
    ...{ code_challenge: challengeOf(verifier), code_challenge_method: 'S256', state: 's1' },
    ...params,
  });
  for (let sent = 0; sent < count; sent += 1) query.append('resource', resource);
  const answer = await peer.browse(`/oauth/authorize?${query.toString()}`);
  const uid = answer.location.split('/').at(-1)!;
  return { ...started, ...answer, verifier, uid };
}

const call = async (token: string) => {
  const headers = { authorization: `Bearer ${token}` };
  const { body } = await ask(`${gateway.url}/mcp`, headers, 'tools/call', {
    ...{ name: 'calculator', arguments: { expression: '6 * 7' } },
  });
  return body.result?.structuredContent;
};

test('a call without a token leads a client to all it needs to sign in', async () => {
  const { status, resource, scopes, server } = await discover();

  expect(status).toBe(401);
  expect(resource).toBe(`${gateway.config.PUBLIC_URL}/mcp`);
  expect(scopes.toSorted()).toEqual(SCOPES.toSorted());
  expect(server).toMatchObject({
    ...{ issuer: gateway.config.PUBLIC_URL, code_challenge_methods_supported: ['S256'] },
    authorization_response_iss_parameter_supported: true,
  });
  expect(server).not.toHaveProperty('registration_endpoint');
});

test.each(Object.keys(habits))(
  'a client shaped like %s is registered, signs in, calls a tool and renews its token',
  async (name) => {
    const known = oauthClientPresets('').map(({ id }) => id);
    expect(known).toContain(habits[name]!.preset);
    const { tested, named, tokens } = await connect(name, OWN);
    const { access_token, refresh_token, scope } = tokens.body;
    expect(scope!.split(' ').toSorted()).toEqual(SCOPES.toSorted());
    expect(await call(access_token!)).toMatchObject({ result: 42 });

    const renewed = await peer.refresh(tested, refresh_token!, named);
    expect(renewed.status).toBe(200);
    expect(await call(renewed.body['access_token']!)).toMatchObject({ result: 42 });
  },
);

test('a client of an organization signs in there', async () => {
  const { tokens } = await connect('Codex', clientsIn(acme));
  const { body } = await ask(
    `${gateway.url}/mcp`,
    { authorization: `Bearer ${tokens.body['access_token']}` },
    'tools/call',
    { name: 'calculator', arguments: { expression: '1' } },
  );
  // Selected in the personal space only.
  expect(body.result?.structuredContent?.error?.code).toBe('tool_not_permitted');
});

test('another port is accepted on a loopback host alone, and another path nowhere', async () => {
  const client = await registered(ann, OWN, {
    ...{ name: 'x', type: 'public', grant_types: ['authorization_code'] },
    ...{ allowed_scopes: SCOPES },
    redirect_uris: ['http://127.0.0.1/callback', 'https://client.example/callback'],
  });
  const statusOf = async (redirect_uri: string) => {
    const { id, client_secret: secret } = client;
    return (await peer.start({ id, secret, redirect_uri, scopes: SCOPES })).status;
  };

  expect(await statusOf('http://127.0.0.1:5000/callback')).toBe(303);
  for (const uri of [
    'http://127.0.0.1:5000/other',
    'http://localhost:5000/callback',
    'https://client.example:8443/callback',
    'https://client.example/callback/',
    'https://client.example/callback?x=1',
  ])
    expect(await statusOf(uri), uri).toBe(400);
});
