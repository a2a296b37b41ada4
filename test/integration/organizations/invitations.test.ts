import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import type {
  InvitationPreview,
  InvitationRecord,
} from '../../../src/organizations/invitations/schema.ts';
import { accept, invite, invited } from '../../support/people/invitations.ts';
import {
  createPerson,
  newEmail,
  oneAddress,
  signUp,
  tokenOf,
} from '../../support/people/people.ts';
import type { SignedUp } from '../../support/people/people.ts';
import {
  ADMIN,
  askAs,
  createOrganization,
  driftOf,
  MEMBER,
  outcomeOf,
  OWNER,
} from '../../support/people/organizations.ts';
import type { Errors } from '../../support/people/organizations.ts';
import { useGateway } from '../../support/worlds/use-gateway.ts';

const { world, gateway } = await useGateway(oneAddress);

const DAY = 86_400_000;
type Listed = { data: InvitationRecord[]; next_cursor: string | null };

async function withOwner() {
  const owner = await signUp(world, gateway, 'owner');
  const { id } = await createOrganization(owner, 'Acme');
  const path = `/api/organizations/${id}/invitations`;
  const list = (who: SignedUp, query = '') => askAs<Listed>(who, { path: `${path}${query}` });
  const preview = (token: string) =>
    createPerson(gateway.url).ask<InvitationPreview & Errors>({
      path: `/api/invitations/${token}`,
    });
  return { id, path, owner, list, preview };
}

test('an invited person joins with the roles of the invitation, and the link works once (rel:B9-2)', async () => {
  const { id, owner, list, preview } = await withOwner();
  const ada = await signUp(world, gateway);
  const { token, ...record } = await invited(world, owner, {
    ...{ id, email: ada.email, role_ids: [MEMBER, ADMIN] },
  });
  expect(record).toEqual({
    ...{ id: expect.any(String), email: ada.email, status: 'pending' },
    roles: [
      { id: ADMIN, name: 'Admin' },
      { id: MEMBER, name: 'Member' },
    ],
    teams: [],
    invited_by: { account_id: owner.account_id, email: owner.email },
    ...{ created_at: expect.any(String), expires_at: expect.any(String), sent: true },
  });
  expect(Date.parse(record.expires_at) - Date.parse(record.created_at)).toBe(7 * 86_400_000);
  expect((await preview(token)).body).toEqual({
    organization: { name: 'Acme' },
    invited_by: { first_name: 'Ada', last_name: 'Lovelace' },
    ...{ email: ada.email, expires_at: record.expires_at },
  });

  const joined = await accept(ada, token);

  expect(joined.status).toBe(200);
  expect(joined.body.membership.roles.map((role) => role.name)).toEqual(['Admin', 'Member']);
  expect(outcomeOf(await accept(ada, token))).toEqual([422, 'token_invalid']);
  expect((await preview(token)).status).toBe(422);
  expect((await list(ada)).body.data.map(({ status }) => status)).toEqual(['accepted']);
  expect(outcomeOf(await invite(owner, id, ada.email))).toEqual([409, 'already_member']);
});

test('another account cannot accept an invitation, and the invited one can afterwards (rel:B9-2)', async () => {
  const { id, owner } = await withOwner();
  const [ada, eve] = [await signUp(world, gateway), await signUp(world, gateway, 'eve')];
  const { token } = await invited(world, owner, { id, email: ada.email });

  expect(outcomeOf(await accept(eve, token))).toEqual([422, 'invitation_for_another_address']);
  expect((await accept(ada, token)).status).toBe(200);
});

test('exactly one of 20 concurrent acceptances on two gateways succeeds (rel:B9-2)', async () => {
  const { id, owner } = await withOwner();
  const otherGateway = await world.gateway();
  const ada = await signUp(world, gateway);
  const { token } = await invited(world, owner, { id, email: ada.email });
  const adaOnOtherGateway = { ...ada, person: createPerson(otherGateway.url, ada.person.address) };

  const answers = await Promise.all(
    Array.from({ length: 20 }, (_one, index) => accept(index % 2 ? ada : adaOnOtherGateway, token)),
  );

  const outcomes = answers.map(outcomeOf);
  expect(outcomes.filter(([status]) => status === 200)).toHaveLength(1);
  expect(outcomes.filter(([status]) => status !== 200)).toEqual(
    Array.from({ length: 19 }, () => [422, 'token_invalid']),
  );
  expect(await driftOf(gateway)).toEqual([]);
});

test('resending replaces the link and extends the expiry to seven days; after revoking, no link works', async () => {
  const { id, path, owner, list } = await withOwner();
  const ada = await signUp(world, gateway);
  const first = await invited(world, owner, { id, email: ada.email });
  await world.query(
    `UPDATE organization_invitation SET expires_at = now() + interval '1 hour' WHERE id = $1`,
    [first.id],
  );

  const resend = { method: 'POST', path: `${path}/${first.id}/resend` };
  const resent = await askAs<InvitationRecord>(owner, resend);

  expect(resent.status).toBe(200);
  expect(Date.parse(resent.body.expires_at)).toBeGreaterThan(Date.now() + 6 * DAY);
  expect(outcomeOf(await accept(ada, first.token))).toEqual([422, 'token_invalid']);
  const second = tokenOf(await world.mailbox.next(ada.email));
  expect(second).not.toBe(first.token);

  const revoke = { method: 'DELETE', path: `${path}/${first.id}` };
  expect((await askAs(owner, revoke)).status).toBe(204);

  expect(outcomeOf(await accept(ada, second))).toEqual([422, 'token_invalid']);
  expect(outcomeOf(await askAs(owner, revoke))).toEqual([409, 'invitation_ended']);
  expect(outcomeOf(await askAs(owner, resend))).toEqual([409, 'invitation_ended']);
  expect((await list(owner)).body.data.map(({ status }) => status)).toEqual(['revoked']);
});

test('an expired invitation can be neither accepted nor previewed, but it can be resent (rel:B9-2)', async () => {
  const { id, path, owner, list, preview } = await withOwner();
  const ada = await signUp(world, gateway);
  const old = await invited(world, owner, { id, email: ada.email });
  await world.query('UPDATE organization_invitation SET expires_at = now() WHERE id = $1', [
    old.id,
  ]);

  expect(outcomeOf(await accept(ada, old.token))).toEqual([422, 'token_invalid']);
  expect(outcomeOf(await preview(old.token))).toEqual([422, 'token_invalid']);
  expect((await list(owner)).body.data.map(({ status }) => status)).toEqual(['expired']);
  const resent = await askAs(owner, { method: 'POST', path: `${path}/${old.id}/resend` });

  expect(resent.status).toBe(200);
  const token = tokenOf(await world.mailbox.next(ada.email));
  expect((await accept(ada, token)).status).toBe(200);
});

test('an address can have only one open invitation to an organization, and a new one after it has ended', async () => {
  const { id, owner, list } = await withOwner();
  const other = await withOwner();
  const email = newEmail();
  const first = await invited(world, owner, { id, email });

  expect(outcomeOf(await invite(owner, id, email.toUpperCase()))).toEqual([409, 'already_invited']);
  expect((await invite(other.owner, other.id, email)).status).toBe(201);
  await world.query('UPDATE organization_invitation SET expires_at = now() WHERE id = $1', [
    first.id,
  ]);
  expect((await invite(owner, id, email)).status).toBe(201);

  expect((await list(owner)).body.data.map(({ status }) => status)).toEqual(['pending', 'expired']);
});

test('only one of several concurrent invitations to the same address is created', async () => {
  const { id, owner } = await withOwner();
  const email = newEmail();

  const answers = await Promise.all(Array.from({ length: 8 }, () => invite(owner, id, email)));

  const outcomes = answers.map(outcomeOf).toSorted(([a], [b]) => Number(a) - Number(b));
  expect(outcomes).toEqual([[201], ...Array.from({ length: 7 }, () => [409, 'already_invited'])]);
});

test('listing invitations requires the permission to see members; pages are sorted newest first', async () => {
  const { id, owner, list } = await withOwner();
  const ada = await signUp(world, gateway);
  const { token } = await invited(world, owner, { id, email: ada.email });
  await accept(ada, token);
  const { body: second } = await invite(owner, id, newEmail());

  const page = await list(owner, '?limit=1');
  const rest = await list(owner, `?limit=1&cursor=${page.body.next_cursor}`);

  expect(page.body.data.map((one) => one.id)).toEqual([second.id]);
  expect(rest.body.data.map((one) => one.email)).toEqual([ada.email]);
  expect(outcomeOf(await list(ada))).toEqual([403, 'permission_denied']);
});

test('inviting, resending and revoking require the permission; outsiders get a 404', async () => {
  const { id, path, owner } = await withOwner();
  const [ada, eve] = [await signUp(world, gateway), await signUp(world, gateway, 'eve')];
  const { token } = await invited(world, owner, { id, email: ada.email });
  await accept(ada, token);
  const open = await invited(world, owner, { id, email: newEmail() });
  const requests = [
    { path, body: { email: newEmail(), role_ids: [MEMBER] } },
    { method: 'POST', path: `${path}/${open.id}/resend` },
    { method: 'DELETE', path: `${path}/${open.id}` },
  ];

  for (const request of requests) {
    expect(outcomeOf(await askAs(ada, request))).toEqual([403, 'permission_denied']);
    expect(outcomeOf(await askAs(eve, request))).toEqual([404, 'not_found']);
  }
  const other = await withOwner();
  const foreign = { method: 'DELETE', path: `${other.path}/${open.id}` };
  expect(outcomeOf(await askAs(other.owner, foreign))).toEqual([404, 'not_found']);
});

test.each<[string, object, number, string]>([
  ['a missing address', { role_ids: [MEMBER] }, 400, 'invalid_body'],
  ['a malformed address', { email: 'ada', role_ids: [MEMBER] }, 400, 'invalid_email'],
  ['an empty list of roles', { email: 'a@b.example', role_ids: [] }, 400, 'invalid_body'],
  ['an unknown role', { email: 'a@b.example', role_ids: [randomUUID()] }, 422, 'unknown_role'],
  ['the Owner role', { email: 'a@b.example', role_ids: [OWNER] }, 422, 'owner_by_transfer'],
])('%s is refused, and no invitation is created', async (_what, body, status, code) => {
  const { path, owner, list } = await withOwner();

  expect(outcomeOf(await askAs(owner, { path, body }))).toEqual([status, code]);
  expect((await list(owner)).body.data).toEqual([]);
});

test('an unknown token and a used one get the same response', async () => {
  const { id, owner, preview } = await withOwner();
  const ada = await signUp(world, gateway);
  const { token } = await invited(world, owner, { id, email: ada.email });
  await accept(ada, token);

  expect(await accept(ada, token)).toMatchObject({ body: (await accept(ada, 'unknown')).body });
  expect((await preview(token)).body).toEqual((await preview('unknown')).body);
});
