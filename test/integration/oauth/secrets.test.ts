import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { createSigningPair } from '../../support/peers/saml/signing-pair.ts';
import { createDirectory, createToken, oktaUser } from '../../support/people/directory.ts';
import { createOAuthPeer, REDIRECT } from '../../support/people/oauth.ts';
import type { TestClient, TokenAnswer } from '../../support/people/oauth.ts';
import { at } from '../../support/people/organizations.ts';
import { createSamlOrganization, metadataOf } from '../../support/people/saml-organization.ts';
import type { SamlForm } from '../../support/people/saml-organization.ts';
import { createSsoWorld } from '../../support/people/sso.ts';
import type { SsoWorld } from '../../support/people/sso.ts';
import { createVisitor, followProvider } from '../../support/people/visitor.ts';
import { encodings, readRedis, readTables } from '../../support/worlds/stored-texts.ts';
import type { World } from '../../support/worlds/world.ts';
import { startChildGateway } from '../attack/child-gateway.ts';
import type { ChildGateway } from '../attack/child-gateway.ts';
import { ask } from '../mcp/key-holder.ts';
import { clientsIn, registered } from './clients/registering.ts';

/** Secrets by name. */
type Secrets = Map<string, string>;

test('codes, tokens, client secrets, verifiers, cookies, SAML responses and SCIM tokens are neither stored nor logged (rel:P15)', async () => {
  const sso = await createSsoWorld();
  onTestFinished(sso.close);
  const gateway = await startChildGateway(sso.world, { LOG_LEVEL: 'trace' });
  onTestFinished(gateway.stop);
  const acme = await sso.organization();
  const owner = at(acme.owner, gateway);
  const secrets: Secrets = new Map();

  const sent = [
    ...(await useOAuth(sso, gateway, secrets, { ...acme, owner })),
    ...(await useDirectory(gateway, secrets, { ...acme, owner })),
    ...(await useSaml(sso, gateway, secrets)),
  ];
  await useSignIn(sso, gateway, secrets, acme);
  await sendMisplaced(gateway, secrets);
  await whileTablesAreLost(sso.world, sent);
  // Log lines are written, and uses recorded, a little later.
  await wait(1_500);

  const places = new Map([...(await readTables(sso.world)), ...(await readRedis(sso.world))]);
  places.set('the log', gateway.output());
  expect(places.get('table oauth_connection')).toContain(acme.id);
  expect(places.get('table oauth_artifact')).toContain('RefreshToken');
  expect(places.get('table used_once')).toContain('saml_assertion');
  expect(gateway.output()).toContain('OAuth request refused');
  expect(gateway.output()).toContain('SAML response refused');
  const found = [...secrets].flatMap(([name, value]) =>
    [...places]
      .filter(([, text]) => encodings(value).some((encoded) => text.includes(encoded)))
      .map(([place]) => `${name}: ${place}`),
  );
  expect(found).toEqual([]);
}, 180_000);

/** An organization, and its owner at the gateway that is read. */
type Acme = Awaited<ReturnType<SsoWorld['organization']>>;
type Send = () => Promise<unknown>;

const track = (secrets: Secrets, name: string, value: string | undefined) => {
  expect(value?.length, name).toBeGreaterThan(5);
  secrets.set(name, value!);
  return value!;
};

/** Uses every grant type; returns requests that contain secrets. */
async function useOAuth(
  { gateway: { config } }: SsoWorld,
  gateway: ChildGateway,
  secrets: Secrets,
  { id, owner }: Pick<Acme, 'id' | 'owner'>,
): Promise<Send[]> {
  const peer = createOAuthPeer({ url: gateway.url, config });
  const scopes = ['mcp_tools', 'read:organization_members'];
  const created = await registered(owner, clientsIn(id), {
    ...{ name: 'Robot', type: 'confidential', team_ids: null, allowed_scopes: scopes },
    ...{ redirect_uris: [REDIRECT] },
    grant_types: ['authorization_code', 'refresh_token', 'client_credentials'],
  });
  const secret = track(secrets, 'client secret', created.client_secret!);
  const client: TestClient = { id: created.id, secret, redirect_uri: REDIRECT, scopes };
  const second = await owner.person.ask<{ client_secret: string }>({
    ...{ method: 'POST', path: `${created.path}/secrets`, headers: owner.bearer },
  });
  track(secrets, 'second client secret', second.body.client_secret);
  const tokensOf = (name: string, { status, body }: TokenAnswer) => {
    expect([name, status]).toEqual([name, 200]);
    track(secrets, `${name}: access token`, body['access_token']);
    if (body['refresh_token'] !== undefined)
      track(secrets, `${name}: refresh token`, body['refresh_token']);
    return body;
  };

  const started = await peer.start(client);
  track(secrets, 'verifier', started.verifier);
  trackSignatures(secrets, 'authorization', started);
  const { body } = await peer.decide(started, owner);
  const { params } = await peer.finish(started, body.to);
  const grant = { code: track(secrets, 'code', params['code']), code_verifier: started.verifier };
  const unused = await peer.authorize(client, owner);
  track(secrets, 'unused code', unused.code);
  track(secrets, 'unused verifier', unused.code_verifier);
  trackSignatures(secrets, 'pending authorization', await peer.start(client));

  const first = tokensOf('code', await peer.exchange(client, grant));
  const next = tokensOf('refresh', await peer.refresh(client, first['refresh_token']!));
  tokensOf('machine', await peer.token(client, { grant_type: 'client_credentials' }));
  for (const token of [next['access_token']!, `${next['access_token']}x`])
    await ask(`${gateway.url}/mcp`, { authorization: `Bearer ${token}` }, 'tools/list');
  await owner.person.ask({
    path: `/api/organizations/${id}/members`,
    headers: { authorization: `Bearer ${next['access_token']}` },
  });
  const kept = tokensOf('other', await peer.exchange(client, await peer.authorize(client, owner)));
  const again = [
    () => peer.refresh(client, kept['refresh_token']!),
    () => peer.exchange(client, unused),
    () => peer.token(client, { grant_type: 'client_credentials' }),
    () => peer.revoke(client, kept['refresh_token']!),
    () => peer.browse(new URL(body.to).pathname, started.cookie),
  ];
  // Both are reused, which revokes their connection.
  expect((await peer.exchange(client, grant)).status).toBe(400);
  expect((await peer.refresh(client, first['refresh_token']!)).status).toBe(400);
  return again;
}

/** The id of an authorization is part of its address; the signatures bind it to its browser. */
function trackSignatures(
  secrets: Secrets,
  name: string,
  { cookies }: { cookies: readonly string[] },
): void {
  for (const cookie of cookies) {
    const [, signed, signature] = /^(\w+)\.sig=([^;]+)/.exec(cookie) ?? [];
    if (signed !== undefined) track(secrets, `${name}: signature of ${signed}`, signature);
  }
}

/** Provisions a person by SCIM; returns requests that contain secrets. */
async function useDirectory(
  gateway: ChildGateway,
  secrets: Secrets,
  { id, owner, domain }: Pick<Acme, 'id' | 'owner' | 'domain'>,
): Promise<Send[]> {
  const { token } = await createToken(owner, id);
  const directory = createDirectory(gateway, `/scim/v2/${id}`, track(secrets, 'SCIM', token));
  const user = oktaUser(`grace@${domain}`);
  track(secrets, 'password of a directory', user.password);
  expect((await directory.ask({ path: '/Users', body: user })).status).toBe(201);
  expect((await directory.find('/Users', `userName eq "grace@${domain}"`)).status).toBe(200);
  const other = createDirectory(gateway, `/scim/v2/${id}`, `${token}x`);
  expect((await other.ask({ path: '/Users' })).status).toBe(401);
  return [() => fetch(`${gateway.url}/scim/v2/${id}/Users`, bearerOf(token))];
}

const bearerOf = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });

/** Signs in at the organization's provider. */
async function useSignIn(
  { provider, oidc }: SsoWorld,
  gateway: ChildGateway,
  secrets: Secrets,
  acme: Pick<Acme, 'start' | 'someone'>,
): Promise<void> {
  track(secrets, 'client secret at the provider', oidc.client_secret);
  const visitor = createVisitor(gateway.url);
  const started = await visitor.go(acme.start);
  for (const [name, { value }] of visitor.jar) track(secrets, `SSO cookie ${name}`, value);
  track(secrets, 'SSO state', new URL(started.location).searchParams.get('state')!);
  provider.person = acme.someone();
  const returned = await followProvider(started.location);
  track(secrets, 'SSO code', new URL(returned).searchParams.get('code')!);
  await visitor.go(returned);
  track(secrets, 'SSO session', visitor.jar.get('session')!.value);
  // The first two parts are public: when the session began, and an id.
  track(secrets, 'SSO refresh', visitor.jar.get('refresh')!.value.split('.')[2]);
}

/** Signs in with SAML responses that are accepted, refused and spoiled; returns requests with one. */
async function useSaml(sso: SsoWorld, gateway: ChildGateway, secrets: Secrets): Promise<Send[]> {
  const servers = { world: sso.world, gateway: { ...sso.gateway, url: gateway.url } };
  const acme = await createSamlOrganization(servers, sso.dns);
  const pair = createSigningPair();
  const connection = await acme.connect(metadataOf(acme.entity_id, [pair]));
  const respond = async (name: string, change: { audience?: string } = {}) => {
    const request = await acme.start(connection);
    track(secrets, `${name}: SAML state`, request.state);
    for (const [cookie, { value }] of request.visitor.jar)
      track(secrets, `${name}: SAML cookie ${cookie}`, value);
    const form = await acme.respond(connection, pair, request, acme.newAddress(), change);
    trackResponse(secrets, name, form);
    return { request, form };
  };

  const accepted = await respond('accepted');
  const { location } = await acme.post(connection, accepted.form);
  track(secrets, 'SAML handle', new URL(location).searchParams.get('handle')!);
  await accepted.request.visitor.go(location);
  track(secrets, 'SAML session', accepted.request.visitor.jar.get('session')!.value);
  const unfinished = await respond('unfinished');
  const received = await acme.post(connection, unfinished.form);
  track(secrets, 'unused SAML handle', new URL(received.location).searchParams.get('handle')!);

  const refused = await respond('refused', { audience: 'https://other.example/saml' });
  const spoiled = await respond('spoiled');
  const xml = Buffer.from(spoiled.form.SAMLResponse, 'base64').toString();
  const SAMLResponse = Buffer.from(xml.replace('>Ada<', '>Eve<')).toString('base64');
  const broken = await respond('broken');
  for (const form of [
    ...[accepted.form, refused.form, { ...spoiled.form, SAMLResponse }],
    { ...broken.form, SAMLResponse: broken.form.SAMLResponse.slice(0, -400) },
  ])
    expect((await acme.post(connection, form)).location).toContain('/sign-in/refused');
  const other = await respond('other');
  expect((await acme.post({ id: acme.id }, other.form)).status).toBe(404);
  // One for each table that a response needs; later ones have been used.
  const pending = [await respond('pending'), await respond('pending too')].map(({ form }) => form);
  return [
    () => acme.post(connection, pending.pop() ?? accepted.form),
    () => accepted.request.visitor.go(location),
  ];
}

/** The whole response, and what in it proves who signed in. */
function trackResponse(secrets: Secrets, name: string, { SAMLResponse }: SamlForm): void {
  const xml = Buffer.from(SAMLResponse, 'base64').toString();
  track(secrets, `${name}: SAML response`, SAMLResponse);
  track(secrets, `${name}: SAML response as XML`, xml);
  track(secrets, `${name}: SAML assertion`, /<saml:Assertion.*<\/saml:Assertion>/s.exec(xml)?.[0]);
  track(secrets, `${name}: SAML signature`, /<(?:\w+:)?SignatureValue>([^<]+)</.exec(xml)?.[1]);
}

/** Sends each secret where it does not belong. */
async function sendMisplaced({ url }: ChildGateway, secrets: Secrets): Promise<void> {
  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  for (const value of secrets.values()) {
    const text = encodeURIComponent(value);
    const body = new URLSearchParams({ grant_type: value, client_id: value, client_secret: value });
    const requests: [path: string, init: RequestInit][] = [
      [`/oauth/authorize?client_id=${text}&state=${text}&scope=${text}`, {}],
      [`/oauth/authorize/${text}`, {}],
      [`/oauth/consent/${text}`, {}],
      [`/oauth/token?client_secret=${text}`, { method: 'POST', headers: form, body }],
      ['/oauth/token', { method: 'POST', headers: form, body }],
      ['/oauth/revoke', { method: 'POST', headers: form, body: `token=${text}&client_id=${text}` }],
      [`/scim/v2/${text}/Users?filter=${text}`, bearerOf(text)],
      [`/api/auth/sso/${text}/callback?code=${text}&state=${text}`, {}],
      [
        `/api/auth/sso/${randomUUID()}/acs`,
        { method: 'POST', headers: form, body: `SAMLResponse=${text}&RelayState=${text}` },
      ],
    ];
    for (const [path, init] of requests) {
      const answer = await fetch(`${url}${path}`, { redirect: 'manual', ...init });
      expect(answer.status, path.slice(0, 20)).toBeLessThan(500);
      await answer.body?.cancel();
    }
  }
}

/** Errors of the database include the statement and its values, and are logged in full. */
async function whileTablesAreLost({ query }: World, sent: readonly Send[]): Promise<void> {
  for (const table of [
    ...['used_once', 'sso_flow'],
    ...['oauth_artifact', 'oauth_client_secret', 'oauth_connection', 'scim_token'],
  ]) {
    await query(`ALTER TABLE ${table} RENAME TO lost`);
    for (const send of sent) await send();
    await query(`ALTER TABLE lost RENAME TO ${table}`);
  }
}
