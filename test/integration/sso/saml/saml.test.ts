import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ConnectionRecord } from '../../../../src/sso/connections/schema.ts';
import { createSigningPair } from '../../../support/peers/saml/signing-pair.ts';
import type { SigningPair } from '../../../support/peers/saml/signing-pair.ts';
import { hasSimpleSaml, startSimpleSaml } from '../../../support/peers/saml/simplesaml-provider.ts';
import { askPresent, outcomeOf } from '../../../support/people/organizations.ts';
import type { Errors } from '../../../support/people/organizations.ts';
import { newEmail } from '../../../support/people/people.ts';
import type { SignedUp } from '../../../support/people/people.ts';
import { createSamlOrganization, metadataOf } from '../../../support/people/saml-organization.ts';
import type { SamlForm, SamlOrganization } from '../../../support/people/saml-organization.ts';
import { createTeam, createTeamsWorld } from '../../../support/people/teams.ts';
import type { TeamsWorld } from '../../../support/people/teams.ts';
import { cookieOf, isSessionCookie, profileOf } from '../../../support/people/third-party.ts';
import { createVisitor } from '../../../support/people/visitor.ts';
import type { Step } from '../../../support/people/visitor.ts';
import { createDnsServer } from '../../../support/servers/dns-server.ts';
import type { DnsServer } from '../../../support/servers/dns-server.ts';

let dns: DnsServer;
let teams: TeamsWorld;
let acme: SamlOrganization;
let pair: SigningPair;
let connection: ConnectionRecord;
beforeAll(async () => {
  dns = await createDnsServer();
  teams = await createTeamsWorld({ DNS_SERVERS: dns.address });
  acme = await createSamlOrganization(teams, dns);
  pair = createSigningPair();
  connection = await acme.connect(metadataOf(acme.entity_id, [pair]));
});
afterAll(async () => {
  await teams?.close();
  await dns?.close();
});

const home = () => `${teams.gateway.config.DASHBOARD_URL}/`;
const refused = (reason: string) =>
  `${teams.gateway.config.PUBLIC_URL}/sign-in/refused#reason=${reason}`;

const hasSession = ({ setCookie }: Step) => setCookie.some(isSessionCookie);

const signIn = (email: string, to = connection, key = pair) => acme.signIn(to, key, email);

describe('a sign-in', () => {
  test('takes an AuthnRequest to the provider, and its response makes a session', async () => {
    const email = acme.newAddress();
    const request = await acme.start(connection);

    expect(request.url.origin + request.url.pathname).toBe('https://idp.example.com/sso');
    expect(request.id).toMatch(/^_[\w-]{20,}$/);
    expect(request.state).toMatch(/^[\w-]{40,80}$/);
    const posted = await acme.post(
      connection,
      await acme.respond(connection, pair, request, email),
    );
    expect([posted.status, posted.body, posted.setCookie]).toEqual([303, '', []]);
    expect(posted.location).toContain(`/api/auth/sso/${connection.id}/finish?handle=`);

    const step = await request.visitor.go(posted.location);
    expect([step.status, step.location, hasSession(step)]).toEqual([302, home(), true]);
    expect((await profileOf(request.visitor)).body).toMatchObject({
      email,
      first_name: 'Ada',
      last_name: 'King',
      verified: true,
    });
  });

  test('of somebody new gives the roles and seats of the connection; of somebody known, nothing more', async () => {
    const team = await createTeam(acme.owner, acme.id, 'blue');
    const giving = await acme.connect(metadataOf(acme.entity_id, [pair]), {
      teams: [{ team_id: team.id, role_ids: [] }],
    });
    const email = acme.newAddress();
    const first = await signIn(email, giving);
    const again = await signIn(email, giving);

    expect([hasSession(first.step), hasSession(again.step)]).toEqual([true, true]);
    const headers = cookieOf(first.visitor);
    const organizations = await first.visitor.person.ask<{ data: { id: string }[] }>({
      path: '/api/organizations',
      headers,
    });
    expect(organizations.body.data.map(({ id }) => id)).toEqual([acme.id]);
    const seats = await askPresent<{ data: { account: { email: string } }[] }>(acme.owner, {
      path: `/api/organizations/${acme.id}/teams/${team.id}/members`,
    });
    expect(JSON.stringify(seats.body.data).split(email)).toHaveLength(2);
  });

  test('with an address outside the verified domains is refused', async () => {
    const { step } = await signIn(`${crypto.randomUUID().slice(0, 8)}@elsewhere.example`);

    expect(step.location).toMatch(/\/sign-in\/refused#reason=/);
    expect(hasSession(step)).toBe(false);
  });
});

describe('a response counts once', () => {
  test('of 20 posts at once one is accepted, and of 20 uses of its handle one makes a session', async () => {
    const request = await acme.start(connection);
    const form = await acme.respond(connection, pair, request, acme.newAddress());
    const posts = await Promise.all(Array.from({ length: 20 }, () => acme.post(connection, form)));

    const accepted = posts.filter(({ location }) => location.includes('/finish?'));
    expect(accepted).toHaveLength(1);
    for (const { status, location } of posts)
      if (location !== accepted[0]!.location)
        expect([status, location.split('#')[0]]).toEqual([303, refused('x').split('#')[0]]);

    const steps = await Promise.all(
      Array.from({ length: 20 }, () => request.visitor.go(accepted[0]!.location)),
    );
    expect(steps.filter(hasSession)).toHaveLength(1);
    const later = await acme.post(connection, form);
    expect(later.location).toBe(refused('expired'));
  });

  test('also where one assertion is posted to two flows, by a provider that repeats itself', async () => {
    const [one, two] = [await acme.start(connection), await acme.start(connection)];
    const form = await acme.respond(connection, pair, one, acme.newAddress());

    const other = await acme.post(connection, { ...form, RelayState: two.state });
    expect(other.location).toBe(refused('failed'));
    expect((await acme.post(connection, form)).location).toContain('/finish?');
  });

  test('its handle is of no use in another browser, nor after a minute', async () => {
    const request = await acme.start(connection);
    const form = await acme.respond(connection, pair, request, acme.newAddress());
    const { location } = await acme.post(connection, form);
    const stranger = createVisitor(teams.gateway.url);
    await acme.start(connection, stranger);

    for (const visitor of [createVisitor(teams.gateway.url), stranger]) {
      const step = await visitor.go(location);
      expect([step.status, step.location, hasSession(step)]).toEqual([
        302,
        refused('expired'),
        false,
      ]);
    }
    await teams.world.query(
      "UPDATE sso_flow SET handle_expires_at = now() - interval '1 second' WHERE handle_hash IS NOT NULL",
    );
    expect((await request.visitor.go(location)).location).toBe(refused('expired'));
  });
});

describe('a post is refused', () => {
  const post = async (
    change: (form: SamlForm) => SamlForm | Promise<SamlForm>,
    to = connection,
  ) => {
    const request = await acme.start(connection);
    const form = await acme.respond(connection, pair, request, acme.newAddress());
    return acme.post(to, await change(form));
  };

  test('that the provider started itself', async () => {
    const [request, email] = [await acme.start(connection), acme.newAddress()];
    const unasked = await acme.respond(connection, pair, request, email, {
      inResponseTo: undefined,
    });

    expect((await acme.post(connection, unasked)).location).toBe(refused('failed'));
    const { SAMLResponse } = unasked;
    expect((await acme.post(connection, { SAMLResponse })).location).toBe(refused('expired'));
  });

  test('with a signature of another key, without one, or of another organization’s provider', async () => {
    const other = createSigningPair();
    const [request, email] = [await acme.start(connection), acme.newAddress()];
    const forged = await acme.respond(connection, other, request, email);
    expect((await acme.post(connection, forged)).location).toBe(refused('failed'));

    expect(
      (await post(({ RelayState }) => ({ SAMLResponse: 'AAAA', RelayState: RelayState! })))
        .location,
    ).toBe(refused('failed'));

    const audit = await askPresent<{ data: { action: string; detail: unknown }[] }>(acme.owner, {
      path: `/api/organizations/${acme.id}/audit`,
    });
    expect(audit.body.data.slice(0, 2).map(({ action, detail }) => [action, detail])).toEqual(
      ['malformed', 'signature'].map((detail) => [
        'session.refuse',
        { provider: 'sso', reason: 'failed', detail },
      ]),
    );

    const evil = await createSamlOrganization(teams, dns);
    const copy = await evil.connect(metadataOf(acme.entity_id, [other]));
    expect((await post((form) => form, copy)).location).toBe(refused('expired'));
  });
});

test('a certificate is replaced at the provider without an outage', async () => {
  const next = createSigningPair();
  const rotating = await acme.connect(metadataOf(acme.entity_id, [pair]));
  const path = `${acme.path}/connections/${rotating.id}`;
  const works = async (key: SigningPair) =>
    hasSession((await signIn(acme.newAddress(), rotating, key)).step);
  const announce = (pairs: SigningPair[]) =>
    askPresent(acme.owner, {
      method: 'PATCH',
      path,
      body: { saml: { metadata: metadataOf(acme.entity_id, pairs) } },
    });

  expect([await works(pair), await works(next)]).toEqual([true, false]);
  expect(outcomeOf(await announce([pair, next]))).toEqual([200]);
  expect([await works(pair), await works(next)]).toEqual([true, true]);
  expect(outcomeOf(await announce([next]))).toEqual([200]);
  expect([await works(pair), await works(next)]).toEqual([false, true]);
});

test('a connection whose entity ID has 1,024 characters, the limit of SAML, can be read', async () => {
  const { id } = await acme.connect(metadataOf(`urn:${'a'.repeat(1_020)}`, [pair]));
  const path = `${acme.path}/connections/${id}`;
  expect((await askPresent(acme.owner, { path })).status).toBe(200);
});

test('enforced after a test, it is the only way in for members of the domain', async () => {
  const strict = await createSamlOrganization(teams, dns, 'example.com');
  const own = await strict.connect(metadataOf(strict.entity_id, [pair]));
  const mia = await teams.join(strict.id, 'mia');
  const enforce = () =>
    askPresent(strict.owner, { method: 'PATCH', path: strict.path, body: { enforced: true } });
  const logIn = ({ email, password }: SignedUp) =>
    mia.person.ask<Errors>({ path: '/api/auth/login', body: { email, password } });
  expect(outcomeOf(await enforce())).toEqual([422, 'sso_not_tested']);

  const tested = await strict.test(own, pair, newEmail());
  expect([tested.location, hasSession(tested)]).toEqual([home(), false]);

  expect(outcomeOf(await enforce())).toEqual([200]);
  expect(outcomeOf(await askPresent(mia, { path: '/api/user/profile' }))[0]).toBe(401);
  expect(outcomeOf(await logIn(mia))).toEqual([401, 'authentication_error']);
  expect(outcomeOf(await logIn(strict.owner))).toEqual([200]);

  const through = await signIn(mia.email, own);
  expect(hasSession(through.step)).toBe(true);
  expect((await profileOf(through.visitor)).body.id).toBe(mia.account_id);
});

const read = (id: string) => fetch(`${teams.gateway.url}/api/auth/sso/${id}/metadata`);

describe('the metadata of a connection', () => {
  test('is a document that names its entity ID and ACS', async () => {
    const answer = await read(connection.id);
    const { entity_id, acs_url, metadata_url } = connection.service_provider;

    expect([answer.status, answer.headers.get('content-type')]).toEqual([
      200,
      'application/samlmetadata+xml',
    ]);
    const xml = await answer.text();
    expect(xml).toContain(`entityID="${entity_id}"`);
    expect(xml).toContain(`Location="${acs_url}"`);
    expect(xml).toContain('WantAssertionsSigned="true"');
    expect(new URL(metadata_url).pathname).toBe(`/api/auth/sso/${connection.id}/metadata`);
  });

  test.each(['none', crypto.randomUUID()])('of no connection is 404: %s', async (id) => {
    const answer = await read(id);

    expect([answer.status, ((await answer.json()) as { errors: [] }).errors]).toEqual([
      404,
      [{ code: 'not_found', message: 'Not found.', detail: null }],
    ]);
  });
});

describe('SimpleSAMLphp', () => {
  test.skipIf(!hasSimpleSaml)(
    'signs a person in by metadata of both sides (it needs php and /usr/share/simplesamlphp)',
    async () => {
      const email = acme.newAddress();
      const attributes = { uid: email.split('@')[0]!, mail: email, givenName: 'Ada', sn: 'King' };
      const peer = await startSimpleSaml(createSigningPair(), attributes);
      try {
        const to = await acme.connect(await (await fetch(peer.metadata_url)).text());
        await peer.trust(await (await read(to.id)).text());
        const request = await acme.start(to);
        const { action, fields } = await peer.signIn(request.url.href);
        expect(action).toBe(to.service_provider.acs_url);
        const posted = await acme.post(to, fields as unknown as SamlForm);
        const step = await request.visitor.go(posted.location);

        expect([step.location, hasSession(step)]).toEqual([home(), true]);
        expect((await profileOf(request.visitor)).body).toMatchObject({ email, last_name: 'King' });
      } finally {
        await peer.close();
      }
    },
  );
});
