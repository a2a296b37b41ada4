import * as oauth from 'openid-client';
import { OperatorError } from '../platform/errors/operator-error.ts';
import { callTool, createApi, requireGateway } from './api.ts';
import type { Api } from './api.ts';
import { listenForCallback } from './callback.ts';
import type { Callback } from './callback.ts';
import { signUp } from './sign-up.ts';
import type { SigningUp } from './sign-up.ts';
import { selectStarterTools } from './starter-tools.ts';

export interface OAuthQuickstartOptions extends SigningUp {
  email: string;
  /** How long the person may take; at most as long as the gateway keeps the request. */
  waitMs?: number;
  /** Shows the person what to open, and who decides there. */
  showConsent(consent: Consent): void;
}

/** A person's next step, in the browser. */
export interface Consent {
  address: string;
  email: string;
  password: string;
}

export interface OAuthQuickstart {
  client: { id: string; name: string };
  connection: { id: string; scopes: string[] };
  tool: string;
  result: unknown;
}

const WAIT_MS = 600_000;
const CLIENT = 'Quick start';
const SCOPES = ['mcp_tools'];
const TOOL = 'calculator';

/** Performs the steps of a program that a person authorizes, through public endpoints only. */
export async function oauthQuickstart(options: OAuthQuickstartOptions): Promise<OAuthQuickstart> {
  const { url, progress } = options;
  await requireGateway(url);
  const resource = await findResource(url);
  const { email, password, api } = await signUp({ email: options.email }, options);
  progress('Selecting tools …');
  await selectStarterTools(api);
  progress(`Registering the client “${CLIENT}” …`);
  const client = await api<{ id: string; name: string }>('POST', '/api/me/oauth-clients', {
    ...{ name: CLIENT, type: 'public', grant_types: ['authorization_code'] },
    // The port of a loopback address may differ (RFC 8252).
    ...{ redirect_uris: ['http://127.0.0.1/callback'], allowed_scopes: SCOPES },
  });
  const state = oauth.randomState();
  const callback = await listenForCallback(state);
  try {
    const flow = { ...options, client_id: client.id, state, callback, resource };
    const token = await authorize(flow, (address) =>
      options.showConsent({ address, email, password }),
    );
    progress(`Calling ${TOOL} with the token …`);
    const call = { name: TOOL, arguments: { expression: '6*7' } };
    const result = await callTool(url, token, call);
    return { client, connection: await connectionOf(api, client), tool: TOOL, result };
  } finally {
    callback.close();
  }
}

interface Flow extends OAuthQuickstartOptions {
  client_id: string;
  state: string;
  callback: Callback;
  resource: Resource;
}

/** `/mcp` as its metadata describe it. */
interface Resource {
  resource: string;
  authorization_servers: string[];
}

/** Sends the person to the consent page, and returns the access token that the client then gets. */
async function authorize(flow: Flow, show: (address: string) => void): Promise<string> {
  const { callback, state, progress, waitMs = WAIT_MS } = flow;
  const { resource } = flow.resource;
  const configuration = await discover(flow);
  const pkceCodeVerifier = oauth.randomPKCECodeVerifier();
  const address = oauth.buildAuthorizationUrl(configuration, {
    ...{ redirect_uri: callback.redirect_uri, scope: SCOPES.join(' '), state, resource },
    code_challenge: await oauth.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
  });
  show(address.href);
  const answer = await callback.answer(waitMs);
  progress('Exchanging the code for a token …');
  try {
    // Checks `state` and `iss` first: another server may have sent the answer.
    const checks = { pkceCodeVerifier, expectedState: state };
    const tokens = await oauth.authorizationCodeGrant(configuration, answer, checks);
    return tokens.access_token;
  } catch (error) {
    throw refusal(error);
  }
}

/** Reads the metadata of `/mcp` (RFC 9728); throws if the gateway has another address. */
async function findResource(url: string): Promise<Resource> {
  const path = '/.well-known/oauth-protected-resource/mcp';
  const metadata = await createApi(url)<Resource>('GET', path);
  if (metadata.resource !== new URL('/mcp', url).href)
    throw new OperatorError(
      `The gateway’s address is ${new URL(metadata.resource).origin}: pass it as --url.`,
    );
  return metadata;
}

/** Reads the metadata of the authorization server as MCP clients do (RFC 8414). */
const discover = ({ url, client_id, resource }: Flow) =>
  oauth.discovery(new URL(resource.authorization_servers[0]!), client_id, undefined, oauth.None(), {
    algorithm: 'oauth2',
    execute: url.startsWith('http:') ? [oauth.allowInsecureRequests] : [],
  });

function refusal(error: unknown): unknown {
  if (error instanceof oauth.AuthorizationResponseError)
    return new OperatorError(
      error.error === 'access_denied'
        ? 'You denied the client, so that it got no access. To decide again, run the command again.'
        : `The gateway refused the authorization: ${error.error_description ?? error.error}`,
    );
  if (error instanceof oauth.ResponseBodyError)
    return new OperatorError(
      `The gateway refused the code: ${error.error_description ?? error.error}`,
    );
  // Its message is for programmers: it does not say what differs.
  if (error instanceof oauth.ClientError)
    return new OperatorError(
      'The answer was not the gateway’s, or could not be used. Run the command again.',
    );
  return error;
}

async function connectionOf(api: Api, { id }: { id: string }) {
  interface Listed {
    id: string;
    client: { id: string };
    scopes: string[];
  }
  const { data } = await api<{ data: Listed[] }>('GET', '/api/me/connections');
  return data.find(({ client }) => client.id === id)!;
}
