import { expect, test } from 'vitest';
import { createOAuthPeer, insertClient } from '../../support/people/oauth.ts';
import { askAs } from '../../support/people/organizations.ts';
import type { SignedUp } from '../../support/people/people.ts';
import { useTeams } from '../../support/worlds/use-teams.ts';
import { createTeam } from '../../support/people/teams.ts';
import { clientsIn, faults, machineDraft, registered } from '../oauth/clients/registering.ts';

const teams = await useTeams();
const peer = createOAuthPeer(teams.gateway);
const { owner, id: acme, team } = await teams.organization();
const red = team.id;
const blue = (await createTeam(owner, acme, 'blue')).id;

const MANAGING = ['read', 'create', 'update', 'revoke'].map((verb) => `${verb}:organization_keys`);
const SCOPES = [...MANAGING, 'mcp_tools', 'read:organization_members', 'read:team_members'];

/** Returns the headers of a token that the Owner authorized, bound to one team. */
async function delegated(): Promise<SignedUp['bearer']> {
  const client = await insertClient(teams.world, {
    ...{ owner: { organization_id: acme }, scopes: SCOPES, team_ids: [red] },
  });
  const { body } = await peer.exchange(client, await peer.authorize(client, owner));
  return { authorization: `Bearer ${body['access_token']}` };
}

/** Returns the headers of a token of a client that acts by itself, bound to one team. */
async function machine(): Promise<SignedUp['bearer']> {
  const draft = { ...machineDraft, allowed_scopes: SCOPES, team_ids: [red] };
  const { id, client_secret } = await registered(owner, clientsIn(acme), draft);
  const { body } = await peer.post('/oauth/token', {
    ...{ grant_type: 'client_credentials', client_id: id, client_secret: client_secret! },
  });
  return { authorization: `Bearer ${body['access_token']}` };
}

const grant = (...permissions: string[]) => ({
  grants: [{ scope: { type: 'org', org_id: acme }, permissions }],
});

test.each([
  ['a person authorized', delegated],
  ['acts by itself', machine],
])(
  'a token of a client that %s creates, changes and revokes keys of the organization, and gives only what it holds (G2, C5)',
  async (_title, tokenOf) => {
    const caller = { ...owner, bearer: await tokenOf() };
    const path = `/api/organizations/${acme}/keys`;
    const draft = { name: crypto.randomUUID(), mcp_capabilities: ['tools'], team_ids: [red] };
    const given = grant('can_view_organization_members', 'can_view_team_members');
    const made = await askAs<{ id: string }>(caller, { path, body: { ...draft, ...given } });
    expect(made.status).toBe(201);

    const key = `${path}/${made.body.id}`;
    const beyond: [change: object, fault: string][] = [
      [grant('can_view_organization_roles'), 'permission_not_held /grants/0/permissions/0'],
      [grant('can_update_team_members'), 'permission_not_held /grants/0/permissions/0'],
      [{ mcp_capabilities: ['prompts'] }, 'capability_escalation /mcp_capabilities/0'],
      [{ team_ids: [blue] }, 'unknown_team /team_ids/0'],
      [{ team_ids: null }, 'permission_not_held /team_ids'],
    ];
    for (const [change, fault] of beyond) {
      const body = { ...draft, name: crypto.randomUUID(), ...change };
      const created = faults(await askAs(caller, { path, body }));
      expect(created[0]).toBe(422);
      expect(created).toContain(fault);
      const changed = faults(await askAs(caller, { method: 'PATCH', path: key, body: change }));
      expect(changed).toContain(fault);
    }

    const narrowed = { method: 'PATCH', path: key, body: { ...grant(), mcp_capabilities: [] } };
    expect((await askAs(caller, narrowed)).status).toBe(200);
    expect((await askAs(caller, { method: 'DELETE', path: key })).status).toBe(204);
  },
);
