import type { SessionPrincipal } from '../../caller/principal.ts';
import { defineRoute, ok } from '../../caller/route.ts';
import type { Route } from '../../caller/route.ts';
import { POLICY_MS } from '../../policies/evaluation-time.ts';
import { nounOf, pathOf, requireItem } from '../items/route-parts.ts';
import { itemRoutes } from '../items/routes.ts';
import { ItemParams } from '../items/schema.ts';
import { nounIn, operationName, pathParams, tagName } from '../spaces/mount.ts';
import type { Mount } from '../spaces/mount.ts';
import type { Space } from '../spaces/space.ts';
import { agentFamily } from './agents.ts';
import type { Agents } from './agents.ts';
import { AgentStart, AgentStartRequest } from './schema.ts';

export interface AgentRouteParts {
  agents: Agents;
  /** Returns what an agent gets that starts with a key and names a definition. */
  agentStart(
    caller: SessionPrincipal,
    request: { space: Space; agent_id: string; key_id: string },
  ): Promise<AgentStart>;
}

export const agentRoutes = (parts: AgentRouteParts, mount: Mount): Route[] => [
  ...itemRoutes(agentFamily, parts.agents, mount),
  startRoute(parts, mount),
];

/** Shows a person what an agent would get; nothing starts, and nothing is counted or saved. */
const startRoute = ({ agents, agentStart }: AgentRouteParts, mount: Mount): Route =>
  defineRoute({
    method: 'POST',
    path: `${pathOf(agentFamily, mount)}/{id}/bootstrap`,
    access: mount.interactive(`${agentFamily.permissions}_read`),
    operation_id: operationName(mount, `preview${nounOf(agentFamily)}Bootstrap`),
    summary: `Preview ${nounIn(mount, 'agent')} bootstrap`,
    tag: tagName(mount, agentFamily.tag),
    params: pathParams(mount, ItemParams),
    object: requireItem(agents, mount),
    body: AgentStartRequest,
    responses: { 200: AgentStart },
    errors: { 422: ['unknown_key'], 429: ['rate_limited'] },
    within_ms: POLICY_MS,
    saves_nothing: true,
    async handle({ params: { id, ...params }, caller, body }) {
      const space = await mount.spaceOf({ caller, params });
      await agents.get(space.id, id);
      return ok(await agentStart(caller, { space, agent_id: id, key_id: body.key_id }));
    },
  });
