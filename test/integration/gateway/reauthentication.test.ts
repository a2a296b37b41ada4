import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { createOAuthPeer, insertClient } from '../../support/people/oauth.ts';
import { askAs, createOrganization, outcomeOf } from '../../support/people/organizations.ts';
import type { Errors } from '../../support/people/organizations.ts';
import { createKey, createPerson, signUp } from '../../support/people/people.ts';
import type { SignedUp } from '../../support/people/people.ts';
import { createSsoWorld } from '../../support/people/sso.ts';
import { removePassword } from '../../support/people/without-password.ts';
import { names } from '../../support/access/permissions.ts';
import { clientsIn, machineDraft, registered } from '../oauth/clients/registering.ts';
import { closeAfterTests } from '../../support/worlds/close-after-tests.ts';

const sso = '/api/organizations/{organization_id}/sso';
const someone = { account_id: randomUUID() };
const strongPassword = 'quartz meadow turbine 61';
const connection = {
  ...{ name: 'Other ID', protocol: 'oidc' },
  oidc: { issuer: 'https://attacker.example', client_id: 'x', client_secret: 'x' },
};

/**
 * Everything that moves who may sign in, where an account's e-mails go, or who is the Owner, and what
 * ends an organization or an account. Each body is valid, and each id is unknown.
 */
const PROTECTED: Readonly<Record<string, object>> = {
  'POST /api/user/email': { email: 'new@example.com' },
  'POST /api/user/password': { password: strongPassword },
  'POST /api/user/identities': { provider: 'unknown' },
  'DELETE /api/user/identities/{id}': {},
  'POST /api/user/totp': {},
  'DELETE /api/user/totp': {},
  'POST /api/user/passkeys/options': {},
  'DELETE /api/user/passkeys/{id}': {},
  'POST /api/user/recovery-codes': {},
  'DELETE /api/user/account': { confirm: 'another' },
  'POST /api/organizations/{organization_id}/transfer-ownership': someone,
  'DELETE /api/organizations/{organization_id}': { confirm: 'Another' },
  [`PATCH ${sso}`]: { enforced: false },
  [`POST ${sso}/connections`]: connection,
  [`PATCH ${sso}/connections/{connection_id}`]: connection,
  [`DELETE ${sso}/connections/{connection_id}`]: {},
  [`DELETE ${sso}/connections/{connection_id}/links/{account_id}`]: {},
  [`POST ${sso}/domains`]: { domain: 'attacker.example' },
  [`POST ${sso}/domains/{domain}/verify`]: {},
  [`DELETE ${sso}/domains/{domain}`]: {},
  [`POST ${sso}/scim-tokens`]: {},
};
/** Changes of single sign-on that only need a session: a test changes nothing, the other ends a token. */
const IN_SESSION: Readonly<Record<string, object>> = {
  [`POST ${sso}/connections/{connection_id}/test`]: {},
  [`DELETE ${sso}/scim-tokens/{token_id}`]: {},
};

const world = await closeAfterTests(createSsoWorld());
const acme = await world.organization();
/** A person who has no password, and signed in eleven minutes ago. */
const stale = await signUp(world.world, world.gateway, 'stale');
/** The organization of that person. */
const own = (await createOrganization(stale)).id;
await removePassword(world.world, stale.account_id);
await world.world.query(
  `UPDATE account_session SET auth_time = now() - interval '11 minutes' WHERE account_id = $1`,
  [stale.account_id],
);

/** Sends from another address, so that wrong passwords do not reach a limit. */
const fresh = (who: SignedUp): SignedUp => ({ ...who, person: createPerson(who.person.url) });

/** Fills in the ids of what exists in the organization, or else an unknown id. */
const fill = (path: string, ids: Record<string, string> = {}) =>
  path.replaceAll(
    /\{(\w+)\}/g,
    (_, name: string) => ({ organization_id: acme.id, ...ids })[name] ?? randomUUID(),
  );
function requestOf(route: string, body: object, ids: Record<string, string> = {}) {
  const [method = '', path = ''] = route.split(' ');
  return { method, path: fill(path, ids), body };
}

interface Document {
  paths: Record<string, Record<string, { requestBody?: object }>>;
  components: object;
}

test('in the API reference, exactly these routes take a `current_password`, which says what it is for', async () => {
  const response = await fetch(`${world.gateway.url}/api/openapi.json`);
  const document = (await response.json()) as Document;
  /** Returns the text of a value with everything that it refers to. */
  const whole = (value: unknown): string =>
    JSON.stringify(value).replaceAll(
      /\{"\$ref":"#\/components\/(\w+)\/([^"]+)"\}/g,
      (_, kind, name) =>
        whole((document.components as Record<string, Record<string, unknown>>)[kind]![name]),
    );
  const found = Object.entries(document.paths).flatMap(
    ([path, { parameters: _parameters, ...methods }]) =>
      Object.entries(methods).flatMap(([method, { requestBody = {} }]) =>
        whole(requestBody).includes('"current_password":{"description":"Reauthenticates.')
          ? [`${method.toUpperCase()} ${path}`]
          : [],
      ),
  );

  expect(found.toSorted()).toEqual(Object.keys(PROTECTED).toSorted());
});

test.each(Object.entries(PROTECTED))(
  '%s without the password, or with a wrong one, gets 403 before the state of any object decides',
  async (route, body) => {
    const wrong = { ...body, current_password: 'not this one at all' };
    for (const sent of [body, wrong]) {
      const answer = await askAs(fresh(acme.owner), requestOf(route, sent));
      expect(outcomeOf(answer)).toEqual([403, 'reauthentication_required']);
    }
  },
);

test.each(Object.entries(PROTECTED))(
  '%s requires a sign-in less than ten minutes ago of an account without a password',
  async (route, body) => {
    const answer = await askAs(stale, requestOf(route, body, { organization_id: own }));
    expect(outcomeOf(answer)).toEqual([403, 'reauthentication_required']);
  },
);

test('with proof of presence, what the path names decides: an unknown object gets 404', async () => {
  const unknown = `DELETE ${sso}/connections/{connection_id}`;
  const body = { current_password: acme.owner.password };

  expect(outcomeOf(await askAs(acme.owner, requestOf(unknown, body)))).toEqual([404, 'not_found']);
});

test('neither a key nor an access token with every permission of the Owner changes single sign-on or ends the organization; both may read it', async () => {
  const attackers = await ownersCredentials();
  const before = await settings();

  for (const [who, headers] of Object.entries(attackers)) {
    const caller = { ...acme.owner, bearer: headers as SignedUp['bearer'] };
    const read = await askAs(caller, { path: acme.path });
    expect([who, read.status]).toEqual([who, 200]);
    for (const [route, body] of Object.entries({ ...PROTECTED, ...IN_SESSION })) {
      const ids = { connection_id: acme.connection.id, domain: acme.domain };
      const sent = { ...body, current_password: acme.owner.password };
      const answer = await askAs(caller, requestOf(route, sent, ids));
      expect([who, route, ...outcomeOf(answer)]).toEqual([who, route, 403, 'interactive_only']);
    }
  }

  expect(await settings()).toEqual(before);
});

/** The Owner's strongest credentials that are not sessions, as headers. */
async function ownersCredentials(): Promise<Record<string, Record<string, string>>> {
  const permissions = [...names.organization];
  const grants = [{ scope: { type: 'org', org_id: acme.id }, permissions }];
  const key = await createKey(acme.owner, { grants });
  const { body } = await askAs<{ secret: string }>(acme.owner, {
    path: `/api/organizations/${acme.id}/keys`,
    body: { name: 'Robot', mcp_capabilities: [], grants, team_ids: [] },
  });
  const scopes = ['read:organization_sso', 'write:organization_sso', 'write:organization'];
  const peer = createOAuthPeer(world.gateway);
  const client = await insertClient(world.world, { owner: { organization_id: acme.id }, scopes });
  const delegated = await peer.exchange(client, await peer.authorize(client, acme.owner));
  const draft = { ...machineDraft, allowed_scopes: scopes };
  const { id, client_secret } = await registered(acme.owner, clientsIn(acme.id), draft);
  const machine = await peer.post('/oauth/token', {
    ...{ grant_type: 'client_credentials', client_id: id, client_secret: client_secret! },
  });
  const bearer = (token: unknown) => ({ authorization: `Bearer ${String(token)}` });
  return {
    'a key': { 'x-api-key': key.secret },
    'a key of the organization': { 'x-api-key': body.secret },
    'a delegated token': bearer(delegated.body['access_token']),
    'a machine token': bearer(machine.body['access_token']),
  };
}

const settings = async () => (await askAs<Errors>(acme.owner, { path: acme.path })).body;
