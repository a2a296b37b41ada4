import type { z } from 'zod';
import { defineRoute, okUntyped } from '../../../caller/route.ts';
import type { Route } from '../../../caller/route.ts';
import {
  AgentPolicy,
  PromptPolicy,
  ResourcePolicy,
  ToolPolicy,
} from '../../../policies/item-policies.ts';
import type { Policies } from '../../../policies/item-policies.ts';
import { TeamParams } from '../schema.ts';
import type { Teams } from '../teams.ts';
import { policyBodies } from './schema.ts';

const path = '/api/organizations/{organization_id}/teams/{team_id}/policies';

interface PolicyWords<Policy> {
  schema: z.ZodType<Policy>;
  name: string;
}

type PolicyServices = Pick<Teams, 'policies' | 'requireInside'>;

/** Routes of the four exposure policies of a team, each with its own permissions. */
export const policyRoutes = (teams: PolicyServices): Route[] => [
  ...routesOf(teams, 'tool', {
    schema: ToolPolicy,
    name: 'Tool',
  }),
  ...routesOf(teams, 'resource', {
    schema: ResourcePolicy,
    name: 'Resource',
  }),
  ...routesOf(teams, 'prompt', {
    schema: PromptPolicy,
    name: 'Prompt',
  }),
  ...routesOf(teams, 'agent', {
    schema: AgentPolicy,
    name: 'Agent',
  }),
];

const routesOf = <Family extends keyof Policies>(
  teams: PolicyServices,
  family: Family,
  { schema, name }: PolicyWords<Policies[Family]>,
): Route[] => [
  defineRoute({
    method: 'GET',
    path: `${path}/${family}`,
    access: { on: 'team', permission: `${family}_policies_read` },
    operation_id: `getTeam${name}Policy`,
    summary: `Get a team’s ${family} policy`,
    tag: 'Team policies',
    params: TeamParams,
    object: ({ caller, params }) => teams.requireInside(caller, params),
    responses: { 200: schema },
    handle: async ({ params }) => okUntyped(await teams.policies.get(params, family)),
  }),
  defineRoute({
    method: 'PUT',
    path: `${path}/${family}`,
    access: { on: 'team', permission: `${family}_policies_write` },
    operation_id: `replaceTeam${name}Policy`,
    summary: `Replace a team’s ${family} policy`,
    tag: 'Team policies',
    params: TeamParams,
    object: ({ caller, params }) => teams.requireInside(caller, params),
    body: policyBodies[family],
    errors: { 422: ['duplicate_item', 'empty_list', 'unknown_item'] },
    responses: { 200: schema },
    handle: async ({ caller, params: team, body: policy, request }) =>
      okUntyped(await teams.policies.replace(caller, { team, family, policy }, request)),
  }),
];
