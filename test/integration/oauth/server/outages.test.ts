import { afterAll, beforeAll, expect, test } from 'vitest';
import { createOAuthPeer, insertClient } from '../../../support/people/oauth.ts';
import type { OAuthPeer, TestClient } from '../../../support/people/oauth.ts';
import { signUp } from '../../../support/people/people.ts';
import type { SignedUp } from '../../../support/people/people.ts';
import { createProxy } from '../../../support/servers/proxy.ts';
import type { Proxy } from '../../../support/servers/proxy.ts';
import { createWorld } from '../../../support/worlds/world.ts';
import type { World } from '../../../support/worlds/world.ts';

let world: World;
let proxy: Proxy;
/** At a gateway whose database can be cut off, and at one that cannot decrypt the signing keys. */
let losing: OAuthPeer;
let keyless: OAuthPeer;
let ada: SignedUp;
let app: TestClient;
beforeAll(async () => {
  world = await createWorld();
  proxy = await createProxy(world.env['DATABASE_URL']!);
  const gateway = await world.gateway({ env: { DATABASE_URL: proxy.url } });
  losing = createOAuthPeer(gateway);
  ada = await signUp(world, gateway);
  app = await insertClient(world, { owner: { account_id: ada.account_id } });
  // Creates the signing keys.
  await losing.authorize(app, ada);
  const env = { SECRETS_KEY: 'another-root-'.repeat(3) };
  keyless = createOAuthPeer(await world.gateway({ env }));
});
afterAll(async () => {
  await world?.close();
  await proxy?.close();
});

/** Requires a page that says, in a person's language, that the service did not respond. */
async function requirePage(url: string, cookie = '') {
  const headers = { 'accept-language': 'de', ...(cookie === '' ? {} : { cookie }) };
  const response = await fetch(url, { redirect: 'manual', headers });
  expect(response.status).toBe(503);
  expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(response.headers.get('content-type')).toMatch(/^text\/html/);
  expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
  expect(response.headers.get('content-language')).toBe('de');
  expect(response.headers.get('location')).toBeNull();
  expect(await response.text()).toContain('Der Dienst hat nicht geantwortet');
}
const authorizeUrl = ({ url }: OAuthPeer) =>
  `${url}/oauth/authorize?${new URLSearchParams({
    ...{ response_type: 'code', client_id: app.id, redirect_uri: app.redirect_uri },
    ...{ code_challenge: 'x'.repeat(43), code_challenge_method: 'S256' },
  }).toString()}`;

test.each(['FROM oauth_client', 'INSERT INTO oauth_artifact'])(
  'an authorization request whose %s gets no reply is a 503 page, and works when repeated',
  async (statement) => {
    const lost = proxy.lost();
    proxy.loseReply(statement, 'cut');
    await requirePage(authorizeUrl(losing));
    expect(proxy.lost()).toBe(lost + 1);
    expect((await losing.start(app)).status).toBe(303);
  },
);

test('a decided request that cannot be read is a 503 page, and works when repeated', async () => {
  const started = await losing.start(app);
  const decided = await losing.decide(started, ada);
  const { pathname } = new URL(decided.body.to);
  proxy.loseReply('FROM oauth_artifact', 'cut');
  await requirePage(`${losing.url}${pathname}`, started.cookie);
  const { params } = await losing.finish(started, decided.body.to);
  expect(params['code']).toBeDefined();
});

test('without a usable signing key browsers get a 503 page, and programs JSON', async () => {
  await requirePage(authorizeUrl(keyless));
  await requirePage(`${keyless.url}/oauth/authorize/x`);
  expect(await keyless.post('/oauth/token', 'grant_type=a')).toMatchObject({
    ...{ status: 503, body: { error: 'temporarily_unavailable' } },
  });
});
