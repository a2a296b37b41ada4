import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { askAs, at, createOrganization, createRole } from '../../support/people/organizations.ts';
import { createKey, createPerson, goodPassword, signUp } from '../../support/people/people.ts';
import type { SendRequest, SignedUp } from '../../support/people/people.ts';
import { createTeam, createTeamRole, seatsOf } from '../../support/people/teams.ts';
import { toolNamed } from '../../support/worlds/tool-named.ts';
import { smallCatalog } from '../properties/agents-reach.ts';
import type { CrashWorld, Scenario } from './crash-world.ts';
import type { SecretKey } from './organization-state.ts';

export const toolId = (name: string) => toolNamed(smallCatalog, name).id;

async function requireSuccess<Body>(who: SignedUp, request: SendRequest): Promise<Body> {
  const { status, body } = await askAs<Body>(who, request);
  if (status >= 300) throw new Error(`${request.path}: ${status} ${JSON.stringify(body)}`);
  return body;
}

/** Returns a change that sends one request, without a retry. */
export const requestOf =
  ({ person, bearer }: SignedUp, request: SendRequest): Scenario['change'] =>
  ({ url }) =>
    createPerson(url, person.address).ask<unknown>({ ...request, headers: bearer });

/**
 * Signs up people whose addresses begin with their names, on a plan that allows many organizations.
 */
export async function signUpAll<Name extends string>(
  { world, live }: Pick<CrashWorld, 'world' | 'live'>,
  names: readonly Name[],
): Promise<Record<Name, SignedUp>> {
  const people = {} as Record<Name, SignedUp>;
  for (const name of names) people[name] = await signUp(world, live, name);
  const ids = Object.values<SignedUp>(people).map(({ account_id }) => account_id);
  await world.query("UPDATE account SET plan = 'enterprise' WHERE id = ANY($1)", [ids]);
  return people;
}

/**
 * Creates an organization with a team `red`, in which `mia` has a seat, with content in both. Two
 * keys belong to `mia` and two to the organization; one of each is bound to the team.
 */
export async function createScenario(
  { joins, world }: CrashWorld,
  { owner, mia }: { owner: SignedUp; mia: SignedUp },
) {
  const name = `Acme ${randomUUID()}`;
  const { id } = await createOrganization(owner, name);
  const path = `/api/organizations/${id}`;
  const tools = ['calculator', 'hash'].map(toolId);
  await requireSuccess(owner, {
    method: 'PUT',
    path: `${path}/mcp-settings`,
    body: {
      tools,
      organization_wide_tools: [],
      ...{ platform_prompts: [], organization_wide_prompts: [] },
    },
  });
  const capabilities = ['tools', 'prompts'];
  const role = await createRole(owner, id, { name: 'Calling', capabilities });
  const reading = await createRole(owner, id, { name: 'Reading', capabilities: ['prompts'] });
  await joins.add(id, mia, [role.id]);
  const team = await createTeam(owner, id, 'red');
  const seats = seatsOf(id, team.id);
  const shared = `${path}/team-roles`;
  const teamRole = await createTeamRole(owner, shared, {
    name: 'Viewing',
    permissions: ['can_view_team_members'],
  });
  const policy = { mode: 'whitelist', tools: [toolId('calculator')] };
  await requireSuccess(owner, { method: 'PUT', path: `${seats.path}/policies/tool`, body: policy });
  await seats.add(owner, mia, [teamRole.id]);
  const prompt = await requireSuccess<{ id: string }>(owner, {
    path: `${seats.path}/prompts`,
    body: { name: 'guide', messages: [{ role: 'user', content: 'Hello.' }] },
  });
  const ofMia = (fields: object) =>
    createKey(mia, { org_scope: id, mcp_capabilities: capabilities, ...fields });
  const ofOrganization = (named: string, fields: object) =>
    requireSuccess<SecretKey>(owner, {
      path: `${path}/keys`,
      body: { name: named, mcp_capabilities: capabilities, ...fields },
    });
  const bound = { team_ids: [team.id] };
  const keys = {
    follows: await ofMia({ name: `follows ${id}` }),
    bound: await ofMia({ name: `bound ${id}`, ...bound }),
    all: await ofOrganization('all', {}),
    service: await ofOrganization('service', bound),
  };
  return { ...{ name, id, path, role, reading, team, seats, teamRole, prompt, keys }, world };
}
export type Organization = Awaited<ReturnType<typeof createScenario>>;

/**
 * Completes deletions whose gateway was stopped, by deleting another organization on a live
 * gateway.
 */
export function deletions({ world, live }: CrashWorld, owner: SignedUp) {
  const ended = async () => {
    const [row] = await world.query<{ left: number }>(
      `SELECT (SELECT count(*) FROM organization WHERE deleted_at IS NOT NULL)::int
            + (SELECT count(*) FROM team WHERE deleted_at IS NOT NULL)::int
            + (SELECT count(*) FROM organization_role WHERE deleted_at IS NOT NULL)::int
            + (SELECT count(*) FROM team_role WHERE deleted_at IS NOT NULL)::int AS left`,
    );
    return row!.left === 0;
  };
  return {
    ended,
    async complete() {
      const { id } = await createOrganization(at(owner, live), 'Short');
      const path = `/api/organizations/${id}`;
      await requireSuccess(owner, {
        method: 'DELETE',
        path,
        body: { confirm: 'Short', current_password: goodPassword },
      });
      await expect.poll(ended, { timeout: 10_000 }).toBe(true);
    },
  } satisfies Partial<Scenario>;
}
