import { createHash, randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import type { JWTPayload } from 'jose';

/** Deviations of a hostile or broken provider from the standard. */
export interface Deviations {
  /** Replaces members of the discovery document. */
  discovery?: Record<string, unknown>;
  /** Changes the parameters of the redirect back. */
  redirect?(parameters: URLSearchParams): void;
  /** Changes the claims of the ID token. */
  claims?(claims: JWTPayload): JWTPayload | Promise<JWTPayload>;
  /** Replaces the ID token. */
  idToken?(claims: JWTPayload): string | Promise<string>;
  /** Replacement responses, by path. */
  answers?: Record<string, (response: ServerResponse) => void>;
}

/** A small OpenID provider that follows the standard except where `deviations` says otherwise. */
export interface OpenIdServer {
  issuer: string;
  /** Claims in the ID token of the person who signs in next. */
  person: JWTPayload;
  /** Claims that only the userinfo endpoint returns. */
  userinfo: Record<string, unknown>;
  deviations: Deviations;
  /** Number of requests by path. */
  requestCounts: Map<string, number>;
  env: Record<string, string>;
  /** Replaces the key that signs ID tokens. */
  rotateKeys(): Promise<void>;
  close(): Promise<void>;
}

const CLIENT = 'toolgate';
const SECRET = 'a secret of the client';

interface Code {
  redirect_uri: string;
  nonce: string;
  challenge: string;
  person: JWTPayload;
}

export async function createOpenIdServer(): Promise<OpenIdServer> {
  let key = await createKey('one');
  const codes = new Map<string, Code>();
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', self.issuer);
    self.requestCounts.set(url.pathname, (self.requestCounts.get(url.pathname) ?? 0) + 1);
    const override = self.deviations.answers?.[url.pathname];
    if (override) return override(response);
    const answer = pages[url.pathname];
    void (answer ? answer(request, response, url) : response.writeHead(404).end());
  });
  const self: OpenIdServer = {
    issuer: '',
    person: {},
    userinfo: {},
    deviations: {},
    requestCounts: new Map(),
    env: {},
    async rotateKeys() {
      key = await createKey(randomUUID());
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };

  const pages: Record<
    string,
    (request: IncomingMessage, response: ServerResponse, url: URL) => unknown
  > = {
    '/.well-known/openid-configuration': (_request, response) =>
      json(response, {
        issuer: self.issuer,
        authorization_endpoint: `${self.issuer}/authorize`,
        token_endpoint: `${self.issuer}/token`,
        userinfo_endpoint: `${self.issuer}/userinfo`,
        jwks_uri: `${self.issuer}/jwks`,
        response_types_supported: ['code'],
        subject_types_supported: ['public'],
        id_token_signing_alg_values_supported: ['RS256'],
        authorization_response_iss_parameter_supported: true,
        ...self.deviations.discovery,
      }),
    '/jwks': (_request, response) => json(response, { keys: [key.jwk] }),
    '/userinfo': (_request, response) => json(response, { sub: self.person.sub, ...self.userinfo }),
    '/authorize': (_request, response, { searchParams }) => {
      const get = (name: string) => searchParams.get(name) ?? '';
      if (get('client_id') !== CLIENT || get('code_challenge_method') !== 'S256')
        return response.writeHead(400).end('no client or no PKCE');
      const code = randomUUID();
      const redirect_uri = get('redirect_uri');
      const nonce = get('nonce');
      codes.set(code, {
        redirect_uri,
        nonce,
        challenge: get('code_challenge'),
        person: self.person,
      });
      const back = new URL(redirect_uri);
      for (const [name, value] of Object.entries({ code, state: get('state'), iss: self.issuer }))
        back.searchParams.set(name, value);
      self.deviations.redirect?.(back.searchParams);
      return response.writeHead(302, { location: back.href }).end();
    },
    '/token': async (request, response) => {
      const form = new URLSearchParams(await text(request));
      const basic = `Basic ${btoa(`${CLIENT}:${encodeURIComponent(SECRET).replaceAll('%20', '+')}`)}`;
      const code = codes.get(form.get('code') ?? '');
      codes.delete(form.get('code') ?? '');
      if (request.headers.authorization !== basic)
        return json(response, { error: 'invalid_client' }, 401);
      if (!code || !isProven(code, form)) return json(response, { error: 'invalid_grant' }, 400);
      return json(response, {
        access_token: randomUUID(),
        token_type: 'Bearer',
        expires_in: 60,
        id_token: await idToken(self, key, code),
      });
    },
  };
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  self.issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  self.env = {
    OIDC_NAME: 'Example ID',
    OIDC_ISSUER: self.issuer,
    OIDC_CLIENT_ID: CLIENT,
    OIDC_CLIENT_SECRET: SECRET,
    OUTBOUND_ALLOW: '127.0.0.1,localhost',
  };
  return self;
}

const isProven = (code: Code, form: URLSearchParams) =>
  form.get('redirect_uri') === code.redirect_uri &&
  createHash('sha256')
    .update(form.get('code_verifier') ?? '')
    .digest('base64url') === code.challenge;

async function createKey(kid: string) {
  const { privateKey, publicKey } = await generateKeyPair('RS256', { extractable: true });
  const jwk = { ...(await exportJWK(publicKey)), kid, alg: 'RS256', use: 'sig' };
  return { kid, privateKey, jwk };
}
type Key = Awaited<ReturnType<typeof createKey>>;

async function idToken(server: OpenIdServer, { kid, privateKey }: Key, { nonce, person }: Code) {
  const now = Math.floor(Date.now() / 1_000);
  const standard = { iss: server.issuer, aud: CLIENT, iat: now, exp: now + 60, nonce, ...person };
  const claims = (await server.deviations.claims?.(standard)) ?? standard;
  if (server.deviations.idToken) return server.deviations.idToken(claims);
  return new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid }).sign(privateKey);
}

const json = (response: ServerResponse, body: unknown, status = 200) =>
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
