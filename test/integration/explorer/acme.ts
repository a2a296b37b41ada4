import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { askAs, createRole } from '../../support/people/organizations.ts';
import type { SignedUp } from '../../support/people/people.ts';
import { createTeamRole } from '../../support/people/teams.ts';
import type { TeamsWorld } from '../../support/people/teams.ts';
import { toolId } from '../mcp/key-holder.ts';

const CAPABILITIES = ['tools', 'prompts', 'resources', 'agents'];

/** Sends a GET and returns its body, which must be a success. */
export async function read<Body>(who: SignedUp, path: string): Promise<Body> {
  const { status, body } = await askAs<Body>(who, { path });
  expect([path, status, body]).toEqual([path, 200, expect.anything()]);
  return body;
}

/** Creates a key and returns it with its secret. */
export async function createKey(
  who: SignedUp,
  path: string,
  fields: object = {},
): Promise<{ id: string; secret: string; name: string }> {
  const body = { name: `key ${randomUUID()}`, mcp_capabilities: CAPABILITIES, ...fields };
  const created = await askAs<{ id: string; secret: string; name: string }>(who, { path, body });
  expect([path, created.status, created.body]).toEqual([path, 201, expect.anything()]);
  return created.body;
}

/**
 * Creates an organization with a team that exposes `calculator`, in which a member has a seat and a key
 * that follows teams; a key of the organization; and an auditor who may read the audit log alone.
 */
export async function createAcme(teams: Pick<TeamsWorld, 'organization' | 'join'>) {
  const created = await teams.organization();
  const { id, owner, path: team } = created;
  const base = `/api/organizations/${id}`;
  const tools = ['calculator', 'hash'].map(toolId);
  const settings = {
    ...{ tools, organization_wide_tools: [] },
    ...{ platform_prompts: [], organization_wide_prompts: [] },
  };
  await askAs(owner, { method: 'PUT', path: `${base}/mcp-settings`, body: settings });
  const whitelist = { mode: 'whitelist', tools: [toolId('calculator')] };
  await askAs(owner, { method: 'PUT', path: `${team}/policies/tool`, body: whitelist });
  const role = await createRole(owner, id, {
    ...{ name: 'worker', capabilities: CAPABILITIES },
    permissions: ['can_view_organization_roles'],
  });
  const auditing = await createRole(owner, id, {
    ...{ name: 'auditor', capabilities: [] },
    permissions: ['can_view_organization_audit'],
  });
  const seat = await createTeamRole(owner, `${base}/team-roles`, {
    ...{ name: 'tester', permissions: ['can_create_team_tools'] },
  });
  const mia = await teams.join(id, 'mia', [role.id]);
  const ada = await teams.join(id, 'ada', [auditing.id]);
  await created.add(owner, mia, [seat.id]);
  const key = await createKey(mia, '/api/keys', { org_scope: id });
  const shared = await createKey(owner, `${base}/keys`, { team_ids: [] });
  const team_id = team.slice(team.lastIndexOf('/') + 1);
  return { ...created, team_id, base, team, role, auditing, seat, mia, ada, key, shared };
}
