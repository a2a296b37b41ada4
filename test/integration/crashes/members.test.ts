import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { inviteTo } from '../../support/people/invitations.ts';
import { createPerson, goodPassword, newEmail, tokenOf } from '../../support/people/people.ts';
import type { SignedUp } from '../../support/people/people.ts';
import { scaledTimeout } from '../properties/trials.ts';
import { createScenario, deletions, requestOf, signUpAll } from './crash-organization.ts';
import type { Organization } from './crash-organization.ts';
import { createCrashWorld } from './crash-world.ts';
import type { CrashWorld, Scenario } from './crash-world.ts';

let crashes: CrashWorld;
let people: Record<'owner' | 'mia' | 'guest', SignedUp>;
beforeAll(async () => {
  crashes = await createCrashWorld();
});
beforeEach(async () => {
  people = await signUpAll(crashes, ['owner', 'mia', 'guest']);
});
afterAll(() => crashes?.close());

type Change = (
  organization: Organization,
) => Pick<Scenario, 'change'> | Promise<Pick<Scenario, 'change'>>;

const changes: Readonly<Record<string, Change>> = {
  'accepting an invitation with a seat': async ({ id, team, teamRole }) => {
    const { owner, guest } = people;
    const seat = { team_id: team.id, role_ids: [teamRole.id] };
    await inviteTo(owner, id, [seat], guest.email);
    const token = tokenOf(await crashes.world.mailbox.next(guest.email));
    const accept = { method: 'POST', path: `/api/invitations/${token}/accept` };
    return { change: requestOf(guest, accept) };
  },
  'joining by registration through an invitation': async ({ id, team, teamRole }) => {
    const { live, world } = crashes;
    const email = newEmail('guest');
    await inviteTo(people.owner, id, [{ team_id: team.id, role_ids: [teamRole.id] }], email);
    const invitation_token = tokenOf(await world.mailbox.next(email));
    const registered = await createPerson(live.url).register({ email, invitation_token });
    expect(registered.status).toBe(201);
    const body = { token: tokenOf(await world.mailbox.next(email)) };
    return {
      change: ({ url }) => createPerson(url).ask({ path: '/api/auth/verify-email', body }),
    };
  },
  'removing a member': ({ path }) => ({
    change: requestOf(people.owner, {
      method: 'DELETE',
      path: `${path}/members/${people.mia.account_id}`,
    }),
  }),
  leaving: ({ path }) => ({
    change: requestOf(people.mia, {
      method: 'DELETE',
      path: `${path}/members/${people.mia.account_id}`,
    }),
  }),
  'transferring the ownership': ({ path }) => ({
    change: requestOf(people.owner, {
      path: `${path}/transfer-ownership`,
      body: { account_id: people.mia.account_id, current_password: goodPassword },
    }),
  }),
  'changing the roles of a member': ({ path, reading }) => ({
    change: requestOf(people.owner, {
      method: 'PATCH',
      path: `${path}/members/${people.mia.account_id}`,
      body: { role_ids: [reading.id] },
    }),
  }),
};

test.each(Object.entries(changes))(
  '%s is atomic, even if the gateway stops at any step',
  (_, change) =>
    crashes.expectAtomic(async () => {
      const organization = await createScenario(crashes, people);
      return { ...organization, ...(await change(organization)) };
    }),
  scaledTimeout(120_000),
);

test(
  'creating an organization is atomic, even if the gateway stops at any step',
  () =>
    crashes.expectAtomic(async () => {
      const name = `Acme ${randomUUID()}`;
      const body = { name };
      const change = requestOf(people.owner, { path: '/api/organizations', body });
      return { name, keys: {}, change };
    }),
  scaledTimeout(120_000),
);

test(
  'deleting an organization is atomic, even if the gateway stops at any step',
  () =>
    crashes.expectAtomic(async () => {
      const organization = await createScenario(crashes, people);
      const { path, name } = organization;
      const request = {
        method: 'DELETE',
        path,
        body: { confirm: name, current_password: people.owner.password },
      };
      const { ended, complete } = deletions(crashes, people.owner);
      return { ...organization, change: requestOf(people.owner, request), ended, complete };
    }),
  scaledTimeout(120_000),
);

test(
  'deleting a member’s account is atomic, even if the gateway stops at any step',
  () =>
    crashes.expectAtomic(async () => {
      const { mia } = await signUpAll(crashes, ['mia']);
      const organization = await createScenario(crashes, { ...people, mia });
      const body = { confirm: mia.email, current_password: goodPassword };
      const request = { method: 'DELETE', path: '/api/user/account', body };
      return { ...organization, change: requestOf(mia, request) };
    }),
  scaledTimeout(120_000),
);

test('after all these crashes, tuples equal rows', () => crashes.expectNoDrift());
