import { afterAll, beforeAll, expect, test } from 'vitest';
import { createOAuthPeer, insertClient } from '../../support/people/oauth.ts';
import { askAs } from '../../support/people/organizations.ts';
import { createKey } from '../../support/people/people.ts';
import type { SignedUp } from '../../support/people/people.ts';
import { createTeamsWorld } from '../../support/people/teams.ts';
import type { TeamsWorld } from '../../support/people/teams.ts';

let teams: TeamsWorld;
beforeAll(async () => {
  teams = await createTeamsWorld();
});
afterAll(() => teams?.close());

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
    const { id, owner, mia, seat } = member;
    expect((await askAs(owner, { method: 'DELETE', path: seat(mia) })).status).toBe(204);
    expect(id).toBeDefined();

    await rename(member);

    expect((await seenBy(mia, path)).filter((name) => name.includes('team'))).toEqual([]);
  },
);
