import { afterAll, beforeAll, beforeEach, test } from 'vitest';
import type { SendRequest, SignedUp } from '../../support/people/people.ts';
import { scaledTimeout } from '../properties/trials.ts';
import { createScenario, deletions, requestOf, signUpAll, toolId } from './crash-organization.ts';
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

type Change = Pick<Scenario, 'change' | 'ended' | 'complete'>;
const asOwner = (request: SendRequest): Change => ({ change: requestOf(people.owner, request) });

const changes: Readonly<Record<string, (organization: Organization) => Change | Promise<Change>>> =
  {
    'editing a role': ({ path, role }) =>
      asOwner({
        method: 'PATCH',
        path: `${path}/roles/${role.id}`,
        body: { capabilities: ['prompts'], permissions: ['can_view_organization_members'] },
      }),
    'deleting a role and replacing it': ({ path, role, reading }) => ({
      ...asOwner({ method: 'DELETE', path: `${path}/roles/${role.id}?replace_with=${reading.id}` }),
      ...deletions(crashes, people.owner),
    }),
    'creating a team': ({ path }) => asOwner({ path: `${path}/teams`, body: { name: 'blue' } }),
    'deleting a team': ({ seats }) => ({
      ...asOwner({ method: 'DELETE', path: seats.path, body: { confirm: 'red' } }),
      ...deletions(crashes, people.owner),
    }),
    'adding a member to a team': async ({ id, seats, teamRole }) => {
      await crashes.joins.add(id, people.guest);
      const { account_id } = people.guest;
      const body = { account_id, role_ids: [teamRole.id] };
      return asOwner({ path: `${seats.path}/members`, body });
    },
    'removing a member from a team': ({ seats }) =>
      asOwner({ method: 'DELETE', path: seats.seat(people.mia) }),
    'changing the roles of a seat': ({ seats }) =>
      asOwner({ method: 'PATCH', path: seats.seat(people.mia), body: { role_ids: [] } }),
    'deleting a team role and replacing it': ({ path, teamRole }) => ({
      ...asOwner({
        method: 'DELETE',
        path: `${path}/team-roles/${teamRole.id}?replace_with=00000000-0000-8000-8000-000000000004`,
      }),
      ...deletions(crashes, people.owner),
    }),
    'designating a tool for all': ({ path }) => {
      const tools = ['calculator', 'hash'].map(toolId);
      const body = {
        tools,
        organization_wide_tools: [toolId('hash')],
        ...{ platform_prompts: [], organization_wide_prompts: [] },
      };
      return asOwner({ method: 'PUT', path: `${path}/mcp-settings`, body });
    },
    'promoting an item': ({ seats, prompt }) =>
      asOwner({ method: 'POST', path: `${seats.path}/prompts/${prompt.id}/promote` }),
    'creating a key of the organization': ({ path, team }) => {
      const body = { name: 'new', mcp_capabilities: ['tools'], team_ids: [team.id] };
      return asOwner({ path: `${path}/keys`, body });
    },
    'binding a key of the organization': ({ path, keys }) =>
      asOwner({ method: 'PATCH', path: `${path}/keys/${keys.all.id}`, body: { team_ids: [] } }),
    'revoking a key of the organization': ({ path, keys }) =>
      asOwner({ method: 'DELETE', path: `${path}/keys/${keys.service.id}` }),
    'creating a member’s key': ({ id, team }) => ({
      change: requestOf(people.mia, {
        path: '/api/keys',
        body: {
          ...{ name: `new ${id}`, mcp_capabilities: ['tools'] },
          ...{ org_scope: id, team_ids: [team.id] },
        },
      }),
    }),
    'granting a member’s key the organization': ({ id, keys }) => ({
      change: requestOf(people.mia, {
        method: 'PATCH',
        path: `/api/keys/${keys.follows.id}`,
        body: { grants: [{ scope: { type: 'org', org_id: id }, permissions: [] }] },
      }),
    }),
    'binding a member’s key': ({ keys }) => ({
      change: requestOf(people.mia, {
        method: 'PATCH',
        path: `/api/keys/${keys.bound.id}`,
        body: { team_ids: [] },
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

test('after all these crashes, tuples equal rows', () => crashes.expectNoDrift());
