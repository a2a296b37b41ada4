import { expect, test } from 'vitest';
import { createOAuthPeer, insertClient } from '../../support/people/oauth.ts';
import { askAs, MEMBER } from '../../support/people/organizations.ts';
import { createKey, signUp } from '../../support/people/people.ts';
import type { SignedUp } from '../../support/people/people.ts';
import { useTeams } from '../../support/worlds/use-teams.ts';

const teams = await useTeams();

interface Shown {
  teams: { id: string; name: string | null }[];
  organization?: { id: string; name: string | null };
}

/** Creates a member with a key and a connection bound to a team. */
async function createMember() {
  const created = await teams.organization();
  const { id, owner, team } = created;
  const mia = await teams.join(id, 'mia');
  expect((await created.add(owner, mia)).status).toBe(201);
  const key = await createKey(mia, {
    ...{ mcp_capabilities: [], org_scope: id, team_ids: [team.id] },
  });
  const client = await insertClient(teams.world, {
    ...{ owner: { organization_id: id }, team_ids: [team.id], scopes: ['mcp_tools'] },
  });
  const peer = createOAuthPeer(teams.gateway);
  const { status } = await peer.exchange(client, await peer.authorize(client, mia));
  expect(status).toBe(200);
  return { ...created, mia, key };
}

async function rename({ id, owner, path }: Awaited<ReturnType<typeof createMember>>) {
  const team = await askAs(owner, { method: 'PATCH', path, body: { name: 'marker-team' } });
  const named = await askAs(owner, {
    ...{ method: 'PATCH', path: `/api/organizations/${id}`, body: { name: 'Marker Ltd' } },
  });
  expect([team.status, named.status]).toEqual([200, 200]);
}

const seenBy = async (who: SignedUp, path: string) =>
  JSON.stringify((await askAs(who, { path })).body).match(/marker[- \w]*/gi) ?? [];

test.each(['/api/keys', '/api/me/connections', '/api/user/export'])(
  'a former member learns no new name of the organization or its teams: %s (rel:P1)',
  async (path) => {
    const member = await createMember();
    const { id, owner, mia } = member;
    const gone = `/api/organizations/${id}/members/${mia.account_id}`;
    expect((await askAs(owner, { method: 'DELETE', path: gone })).status).toBe(204);

    await rename(member);

    expect(await seenBy(mia, path)).toEqual([]);
  },
);

test.each(['/api/keys', '/api/me/connections'])(
  'a person who has left a team learns no new name of it: %s (rel:P1)',
  async (path) => {
    const member = await createMember();
    const { owner, mia, seat } = member;
    expect((await askAs(owner, { method: 'DELETE', path: seat(mia) })).status).toBe(204);

    await rename(member);

    expect((await seenBy(mia, path)).filter((name) => name.includes('team'))).toEqual([]);
  },
);

test('a person who joins an organization and its team again sees their names', async () => {
  const member = await createMember();
  const { id, owner, mia, team, add } = member;
  const gone = `/api/organizations/${id}/members/${mia.account_id}`;
  expect((await askAs(owner, { method: 'DELETE', path: gone })).status).toBe(204);
  await rename(member);
  const shown = async () => {
    const paths = ['/api/keys', '/api/me/connections'];
    const lists = paths.map((path) => askAs<{ data: [Shown] }>(mia, { path }));
    return (await Promise.all(lists)).map(({ body }) => body.data[0]);
  };
  expect(await shown()).toMatchObject([
    { teams: [{ id: team.id, name: null, available: false }] },
    { organization: { id, name: null }, teams: [] },
  ]);

  await teams.joins.add(id, mia);
  expect((await add(owner, mia)).status).toBe(201);

  expect(await shown()).toMatchObject([
    { teams: [{ id: team.id, name: 'marker-team', available: true }] },
    { organization: { id, name: 'Marker Ltd' }, teams: [{ id: team.id, name: 'marker-team' }] },
  ]);
});

test('an export has the name of an organization for an open invitation, and not for a revoked one (rel:P1)', async () => {
  const { id, owner } = await teams.organization();
  const guest = await signUp(teams.world, teams.gateway, 'guest');
  const path = `/api/organizations/${id}/invitations`;
  const draft = { email: guest.email, role_ids: [MEMBER] };
  const { body: invitation } = await askAs<{ id: string }>(owner, { path, body: draft });
  const exported = async () =>
    (await askAs<{ invitations: object[] }>(guest, { path: '/api/user/export' })).body.invitations;
  const organization = expect.any(String);
  expect(await exported()).toMatchObject([
    { organization_id: id, organization, status: 'pending' },
  ]);

  await askAs(owner, { method: 'DELETE', path: `${path}/${invitation.id}` });

  expect(await exported()).toMatchObject([
    { organization_id: id, organization: null, status: 'revoked' },
  ]);
});
