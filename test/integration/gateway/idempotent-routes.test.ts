import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { isCreating } from '../../../src/caller/route.ts';
import { createAuthenticator } from '../../support/people/authenticator.ts';
import { addTotp, creationOptions } from '../../support/people/factors.ts';
import { askAs, MEMBER } from '../../support/people/organizations.ts';
import { newEmail, signUp } from '../../support/people/people.ts';
import type { SignedUp } from '../../support/people/people.ts';
import { createSsoWorld, newDomain } from '../../support/people/sso.ts';
import { createTeam } from '../../support/people/teams.ts';
import { declaredRoutes } from '../../support/declared-routes.ts';
import {
  clientsIn,
  hybridDraft,
  machineDraft,
  OWN,
  registered,
} from '../oauth/clients/registering.ts';
import { draftOf, FAMILIES } from '../organizations/content-items.ts';
import { closeAfterTests } from '../../support/worlds/close-after-tests.ts';

const ORGANIZATION = '/api/organizations/{organization_id}';
const TEAM = `${ORGANIZATION}/teams/{team_id}`;
const SPACES = ['/api/me', ORGANIZATION, `${ORGANIZATION}/me`, TEAM];

interface Sent {
  body?: object;
  /** The owner by default. */
  who?: SignedUp;
  ids?: Record<string, string>;
}

const sso = await closeAfterTests(createSsoWorld());
const acme = await sso.organization();
const team_id = (await createTeam(acme.owner, acme.id, 'red')).id;
// As if each gateway stopped between the commit and its response.
await sso.world.query(`
  CREATE FUNCTION lose_answer() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
  CREATE TRIGGER lose_answer BEFORE UPDATE OF answered ON idempotent_request
    FOR EACH ROW WHEN (NEW.answered) EXECUTE FUNCTION lose_answer()`);

const name = () => `a${randomUUID().slice(0, 8)}`;
const present = () => ({ current_password: acme.owner.password });
const ownKey = () => ({ name: name(), mcp_capabilities: ['tools'] });
const clientAt = async (path: string, draft: object): Promise<Sent> => ({
  ids: { client_id: (await registered(acme.owner, path, { ...draft, name: name() })).id },
});

/** A valid request for every route that creates something, by path. */
const requests: Readonly<Record<string, () => Sent | Promise<Sent>>> = {
  '/api/keys': () => ({ body: ownKey() }),
  '/api/organizations': async () => ({
    who: await signUp(sso.world, sso.gateway, 'founder'),
    body: { name: name() },
  }),
  [OWN]: () => ({ body: { ...hybridDraft, grant_types: ['authorization_code'], name: name() } }),
  [`${OWN}/{client_id}/secrets`]: () =>
    clientAt(OWN, { ...hybridDraft, grant_types: ['authorization_code'] }),
  '/api/user/passkeys': async () => {
    const who = await signUp(sso.world, sso.gateway, 'passkey');
    const authenticator = createAuthenticator(sso.gateway.config.PUBLIC_URL);
    const response = authenticator.create(await creationOptions(who));
    return { who, body: { name: 'Phone', response } };
  },
  '/api/user/recovery-codes': async () => {
    const who = await signUp(sso.world, sso.gateway, 'codes');
    await addTotp(sso.world, who);
    return { who, body: { current_password: who.password } };
  },
  [`${ORGANIZATION}/access/reviews`]: () => ({ body: { name: name() } }),
  [`${ORGANIZATION}/invitations`]: () => ({ body: { email: newEmail(), role_ids: [MEMBER] } }),
  [`${ORGANIZATION}/keys`]: () => ({ body: { ...ownKey(), team_ids: [team_id] } }),
  [`${ORGANIZATION}/oauth-clients`]: () => ({ body: { ...machineDraft, name: name() } }),
  [`${ORGANIZATION}/oauth-clients/{client_id}/secrets`]: () =>
    clientAt(clientsIn(acme.id), machineDraft),
  [`${ORGANIZATION}/roles`]: () => ({ body: { name: name(), permissions: [] } }),
  [`${ORGANIZATION}/sso/connections`]: () => ({
    body: { name: name(), protocol: 'oidc', oidc: sso.oidc, ...present() },
  }),
  [`${ORGANIZATION}/sso/domains`]: () => ({ body: { domain: newDomain(), ...present() } }),
  [`${ORGANIZATION}/sso/scim-tokens`]: () => ({ body: { name: name(), ...present() } }),
  [`${ORGANIZATION}/team-roles`]: () => ({ body: { name: name(), permissions: [] } }),
  [`${ORGANIZATION}/teams`]: () => ({ body: { name: name() } }),
  [`${TEAM}/members`]: async () => {
    const { account_id } = await sso.join(acme.id);
    return { body: { account_id, role_ids: [] } };
  },
  [`${TEAM}/roles`]: () => ({ body: { name: name(), permissions: [] } }),
  ...Object.fromEntries(
    SPACES.flatMap((space) => [
      ...FAMILIES.map((family) => [
        `${space}/${family}`,
        () => ({ body: draftOf(family, name()) }),
      ]),
      [`${space}/upstreams`, () => ({ body: { name: name(), url: 'http://127.0.0.1:1/' } })],
    ]),
  ),
};

const loseAnswers = (isLost: boolean) =>
  sso.world.query(
    `ALTER TABLE idempotent_request ${isLost ? 'ENABLE' : 'DISABLE'} TRIGGER lose_answer`,
  );

const routes = (await declaredRoutes()).filter(isCreating);

test('every route that creates something is tested', () => {
  expect(routes.map(({ path }) => path).toSorted()).toEqual(Object.keys(requests).toSorted());
});

test.each(Object.keys(requests))(
  'POST %s answers from what its transaction saved, then with the first response',
  async (route) => {
    const { body, who = acme.owner, ids = {} } = await requests[route]!();
    const filled: Record<string, string> = { organization_id: acme.id, team_id, ...ids };
    const path = route.replaceAll(/\{(\w+)\}/g, (_, id: string) => filled[id]!);
    const headers = { 'idempotency-key': randomUUID() };
    const send = async () => {
      const answer = await askAs<object>(who, { method: 'POST', path, body, headers });
      return [answer.status, answer.body, answer.headers.get('etag')];
    };
    await loseAnswers(true);

    const first = await send();
    const resumed = await send();
    await loseAnswers(false);
    const kept = await send();
    const again = await send();

    expect(first[0], JSON.stringify(first[1])).toBe(201);
    expect(resumed).toEqual(first);
    expect(kept).toEqual(first);
    expect(again).toEqual(first);
  },
);
