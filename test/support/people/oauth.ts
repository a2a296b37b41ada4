import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { SignedUp } from './people.ts';
import type { Gateway, World } from '../worlds/world.ts';

/** A registered client, with its secret if it is confidential. */
export interface TestClient {
  id: string;
  secret: string | null;
  redirect_uri: string;
  scopes: readonly string[];
}

export interface ClientFields {
  owner: { account_id: string } | { organization_id: string };
  type?: 'public' | 'confidential';
  grant_types?: readonly string[];
  redirect_uris?: readonly string[];
  scopes?: readonly string[];
  /** Null if it follows teams. */
  team_ids?: readonly string[] | null;
  name?: string;
  /** Only a confidential client may leave PKCE out. */
  require_pkce?: boolean;
}

/** Response of the token endpoint. */
export interface TokenAnswer {
  status: number;
  headers: Headers;
  body: Record<string, string> & { expires_in?: number };
}

export const REDIRECT = 'https://client.example.com/cb';
export const SCOPES = ['mcp_tools', 'mcp_prompts', 'mcp_agents', 'read:prompts', 'create:prompts'];

export const challengeOf = (verifier: string) =>
  createHash('sha256').update(verifier).digest('base64url');

/** Inserts a client as registration would store it. */
export async function insertClient(
  { query }: Pick<World, 'query'>,
  { owner, team_ids = null, ...fields }: ClientFields,
): Promise<TestClient> {
  const {
    type = 'public',
    redirect_uris = [REDIRECT],
    scopes = SCOPES,
    name = 'Test app',
    require_pkce = true,
  } = fields;
  const grant_types = fields.grant_types ?? ['authorization_code', 'refresh_token'];
  const id = randomUUID();
  const organization_id = 'organization_id' in owner ? owner.organization_id : null;
  await query(
    `INSERT INTO oauth_client (id, account_id, organization_id, name, type, grant_types,
       redirect_uris, allowed_scopes, require_pkce, follows_teams)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
    [
      ...[id, 'account_id' in owner ? owner.account_id : null, organization_id, name, type],
      ...[grant_types, redirect_uris, scopes, require_pkce],
      organization_id !== null && team_ids === null,
    ],
  );
  for (const team_id of team_ids ?? [])
    await query('INSERT INTO oauth_client_team VALUES ($1, $2, $3)', [
      id,
      organization_id,
      team_id,
    ]);
  const secret = type === 'public' ? null : await addSecret({ query }, id);
  return { id, secret, redirect_uri: redirect_uris[0]!, scopes };
}

async function addSecret({ query }: Pick<World, 'query'>, id: string): Promise<string> {
  const secret = `cs_${randomBytes(32).toString('base64url')}`;
  await query(
    `INSERT INTO oauth_client_secret (id, client_id, secret_hash, secret_prefix)
     VALUES ($1, $2, $3, 'cs_test')`,
    [randomUUID(), id, createHash('sha256').update(secret).digest()],
  );
  return secret;
}

const TRIES = 10;

export type OAuthPeer = ReturnType<typeof createOAuthPeer>;

/** A client's and a browser's requests to the authorization server of one gateway. */
export function createOAuthPeer({
  url,
  config,
}: {
  url: string;
  config: Pick<Gateway['config'], 'PUBLIC_URL'>;
}) {
  async function post(
    path: string,
    params: Record<string, string> | string,
    headers: Record<string, string> = {},
  ): Promise<TokenAnswer> {
    const response = await fetch(`${url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      body: new URLSearchParams(params).toString(),
    });
    const text = await response.text();
    const body = text === '' ? {} : JSON.parse(text);
    return { status: response.status, headers: response.headers, body };
  }

  const identify = ({ id, secret }: Pick<TestClient, 'id' | 'secret'>) => ({
    client_id: id,
    ...(secret === null ? {} : { client_secret: secret }),
  });

  /** Starts an authorization; returns the response, and the cookies it set. */
  async function start(client: TestClient, params: Record<string, string | undefined> = {}) {
    const verifier = randomBytes(32).toString('base64url');
    const query = new URLSearchParams(
      Object.entries({
        ...{ response_type: 'code', client_id: client.id, redirect_uri: client.redirect_uri },
        ...{ code_challenge: challengeOf(verifier), code_challenge_method: 'S256', state: 's1' },
        ...params,
      }).filter((pair): pair is [string, string] => pair[1] !== undefined),
    );
    return { ...(await visit(`/oauth/authorize?${query.toString()}`)), verifier };
  }

  /** Opens an authorization URL; returns also the id of the authorization it starts. */
  async function visit(path: string) {
    const answer = await browse(path);
    const uid = /^\/oauth\/consent\/([\w-]+)$/.exec(answer.location)?.[1] ?? '';
    return { ...answer, uid };
  }

  async function browse(path: string, cookie = '') {
    const response = await fetch(`${url}${path}`, {
      redirect: 'manual',
      headers: cookie === '' ? {} : { cookie },
    });
    const cookies = response.headers.getSetCookie();
    return {
      status: response.status,
      headers: response.headers,
      location: response.headers.get('location') ?? '',
      cookies,
      cookie: cookies.map((line) => line.split(';')[0]!).join('; '),
      body: await response.text(),
    };
  }
  type Started = Awaited<ReturnType<typeof visit>>;

  /** Decides as a person, over JSON. */
  async function decide(
    { uid, cookie }: Pick<Started, 'uid' | 'cookie'>,
    person: Pick<SignedUp, 'cookies'>,
    decision: object = { allow: true },
  ) {
    const response = await fetch(`${url}/oauth/consent/${uid}/decision`, {
      method: 'POST',
      headers: {
        ...{ 'content-type': 'application/json', origin: config.PUBLIC_URL },
        cookie: [cookie, ...[...person.cookies].map(([name, value]) => `${name}=${value}`)].join(
          '; ',
        ),
      },
      body: JSON.stringify(decision),
    });
    const body = (await response.json()) as { to: string; errors?: { code: string }[] };
    return { status: response.status, body };
  }

  /** Returns the parameters of the redirect to the client. */
  async function finish({ cookie }: Pick<Started, 'cookie'>, to: string) {
    const { status, location, body } = await browse(new URL(to).pathname, cookie);
    const params = location === '' ? {} : Object.fromEntries(new URL(location).searchParams);
    return { status, location, body, params: params as Record<string, string> };
  }

  /** Authorizes a client as a person, and returns what its token request needs. */
  async function authorize(
    client: TestClient,
    person: Pick<SignedUp, 'cookies'>,
    { decision, ...params }: { decision?: object } & Record<string, unknown> = {},
  ) {
    const started = await start(client, params as Record<string, string>);
    let decided = await decide(started, person, decision);
    // A busy machine may ask for that: an earlier change has not taken effect yet.
    for (let tries = 1; decided.status === 503 && tries < TRIES; tries += 1) {
      await setTimeout(300);
      decided = await decide(started, person, decision);
    }
    if (decided.status !== 200) throw new Error(`consent: ${JSON.stringify(decided)}`);
    const { params: answer } = await finish(started, decided.body.to);
    if (answer['code'] === undefined) throw new Error(`authorize: ${JSON.stringify(answer)}`);
    return { code: answer['code'], code_verifier: started.verifier };
  }

  /** Allows what a client requests in the browser; returns the URL at which the client gets the code. */
  async function allow(authorizationUrl: URL, person: Pick<SignedUp, 'cookies'>): Promise<URL> {
    const started = await visit(`${authorizationUrl.pathname}${authorizationUrl.search}`);
    const { status, body } = await decide(started, person);
    if (status !== 200) throw new Error(`consent: ${status} ${JSON.stringify(body)}`);
    return new URL((await finish(started, body.to)).location);
  }

  const token = (client: TestClient, params: Record<string, string>, headers = {}) =>
    post('/oauth/token', { ...identify(client), ...params }, headers);

  return {
    ...{ url, post, identify, start, browse, decide, finish, allow, authorize, token },
    exchange: (
      client: TestClient,
      grant: { code: string; code_verifier: string },
      more: Record<string, string> = {},
    ) =>
      token(client, {
        ...{ grant_type: 'authorization_code', redirect_uri: client.redirect_uri },
        ...grant,
        ...more,
      }),
    refresh: (client: TestClient, refresh_token: string, more: Record<string, string> = {}) =>
      token(client, { grant_type: 'refresh_token', refresh_token, ...more }),
    revoke: (client: TestClient, value: string) =>
      post('/oauth/revoke', { ...identify(client), token: value }),
  };
}
