import { expect, test } from 'vitest';
import { managementEntries } from '../../../src/mcp/management/entries.ts';
import type { Explanation } from '../../../src/keys/schema.ts';
import { createConnectionsSupport } from '../../support/people/connections.ts';
import { askAs } from '../../support/people/organizations.ts';
import { closeAfterTests } from '../../support/worlds/close-after-tests.ts';
import { useTeams } from '../../support/worlds/use-teams.ts';
import { scopedKeys } from './scoped-keys.ts';

const teams = await useTeams();
const support = await closeAfterTests(createConnectionsSupport(teams.world, teams.gateway));
const acme = await teams.organization();
const path = `/api/organizations/${acme.id}`;
const tools = managementEntries.map(({ tool }) => tool.id);
const settings = {
  tools,
  organization_wide_tools: tools,
  ...{ platform_prompts: [], organization_wide_prompts: [] },
};
const set = await askAs(acme.owner, {
  method: 'PUT',
  path: `${path}/mcp-settings`,
  body: settings,
});
expect(set.status).toBe(200);

const keys = scopedKeys(() => teams.gateway);

/** Returns the outcome of the permission of `create_prompt`, and the evidence. */
async function explain(credential: string) {
  const { status, body } = await askAs<Explanation>(acme.owner, {
    path: `${path}/${credential}/explain?tool=create_prompt`,
  });
  expect(status).toBe(200);
  const { outcome, evidence } = body.steps.find(({ rule }) => rule === 'can_prompts_create')!;
  return { outcome: [body.outcome, outcome], evidence };
}

async function createKey(permission: string, team_ids: string[] | null) {
  const created = await keys.create(
    acme.owner,
    {
      ...{ mcp_capabilities: ['tools'], team_ids },
      grants: [{ scope: { type: 'org', org_id: acme.id }, permissions: [permission] }],
    },
    `${path}/keys`,
  );
  expect(created.status).toBe(201);
  return created.body;
}

test('an organization’s key with a team permission is explained by the tuples of its seat', async () => {
  const { id } = await createKey('can_create_team_prompts', [acme.team.id]);

  const { outcome, evidence } = await explain(`keys/${id}`);

  expect(outcome).toEqual(['allow', 'allow']);
  expect(evidence).toEqual({ path: expect.any(Array) });
  const relations = (evidence['path'] as { relation: string }[]).map(({ relation }) => relation);
  expect(relations).toEqual(expect.arrayContaining(['bound', 'team_carried_prompts_create']));
});

test('an organization’s key with only the permission for the catalog is denied for lack of the team’s', async () => {
  const { id } = await createKey('can_create_organization_prompts', [acme.team.id]);

  const { outcome, evidence } = await explain(`keys/${id}`);

  expect(outcome).toEqual(['deny', 'deny']);
  const missing = { user: `org_key:${id}`, relation: 'team_carried_prompts_create' };
  expect(evidence['missing']).toContainEqual(expect.objectContaining(missing));
});

test('an organization’s key in no team is denied for that reason, even if it is granted the permission', async () => {
  const { id } = await createKey('can_create_team_prompts', []);

  expect(await explain(`keys/${id}`)).toEqual({
    ...{ outcome: ['deny', 'deny'], evidence: { teams: 'none' } },
  });
});

test('a machine with the scope for items of teams lacks no scope', async () => {
  const client = await support.client({
    ...{ owner: { organization_id: acme.id }, team_ids: [acme.team.id] },
    ...{ scopes: ['mcp_tools', 'create:team_prompts'], grant_types: ['client_credentials'] },
  });
  const id = await support.machine(client);

  const { outcome, evidence } = await explain(`connections/${id}`);

  expect(outcome).toEqual(['allow', 'allow']);
  expect(evidence).toEqual({ path: expect.any(Array) });
});
