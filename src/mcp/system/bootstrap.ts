import { systemTools } from '../../catalog/catalog.ts';
import type { AgentPrincipal } from '../../caller/principal.ts';
import type { AgentItem, View, Visibility } from '../../visibility/visibility.ts';
import { absent, forbidden } from '../../platform/errors/refusal.ts';
import { invalidParams } from '../protocol/errors.ts';
import { agentCatalog, agentCatalogSchema } from './agent-catalog.ts';
import { baseContext } from './base-context.ts';
import { findAgent, noteAgentsDenied } from './find-agent.ts';
import { readOnly } from './system-tool.ts';
import type { Decided, SystemTool } from './system-tool.ts';

interface Role {
  primary_agent: boolean;
  agent_selection?: 'named' | 'self' | 'none';
  agent_name?: string;
  request_agent_catalog?: boolean;
  agent_catalog_after?: string;
}

const input_schema = {
  type: 'object',
  properties: {
    primary_agent: {
      type: 'boolean',
      description: 'true for the agent that talks to the user, false for a subagent.',
    },
    agent_selection: {
      type: 'string',
      enum: ['named', 'self', 'none'],
      description:
        'Subagents only, as chosen by the parent: `named` (requires agent_name), `self` (choose from ' +
        'the catalog), `none` (work without a role).',
    },
    agent_name: {
      type: 'string',
      minLength: 1,
      description:
        'Exact name of an agent definition: required with `named`, optional for a primary agent.',
    },
    request_agent_catalog: {
      type: 'boolean',
      description: 'Requests the catalog where it is not returned by default.',
    },
    agent_catalog_after: {
      type: 'string',
      description:
        'Requests the page of the catalog after this name, as given in `catalog.more` of the previous ' +
        'page.',
    },
  },
  required: ['primary_agent'],
  additionalProperties: false,
};

const output_schema = {
  type: 'object',
  properties: {
    context: { type: 'string' },
    agent: {
      type: 'object',
      properties: {
        status: {
          type: 'string',
          enum: [
            'assigned',
            'selected',
            'selection_available',
            'assignment_unavailable',
            'none',
            'disabled',
          ],
        },
        name: { type: 'string' },
        components: { type: 'array', items: { type: 'string' } },
      },
      required: ['status'],
    },
    catalog: agentCatalogSchema,
  },
  required: ['context', 'agent', 'catalog'],
};

export interface BootstrapDependencies {
  visibility: Pick<Visibility, 'list' | 'find' | 'decide' | 'reach' | 'components'>;
}

/** Creates `bootstrap`: base context, state of the agent's role, and catalog of roles (B1–B7). */
export function createBootstrap({ visibility }: BootstrapDependencies): SystemTool {
  return {
    id: systemTools.bootstrap,
    name: 'bootstrap',
    title: 'Start a task',
    description:
      'Call this first in every task, before any other tool. Returns the context for the task, ' +
      'the state of your role and, if requested, the catalog of roles.',
    version: '1',
    input_schema,
    output_schema,
    annotations: readOnly,
    async prepare(call, input, decided) {
      const role = input as unknown as Role;
      requireRole(role);
      const view = await call.view();
      const state = stateOf(visibility, { view, caller: call.caller, role, decided });
      return () => ({ context: baseContext(view, call.caller), ...state });
    },
  };
}

/** Throws for combinations of arguments that the schema does not exclude (mcp.md 10). */
function requireRole({ primary_agent, agent_selection, agent_name }: Role): void {
  const selection = { pointer: '/agent_selection' };
  const name = { pointer: '/agent_name' };
  if (primary_agent && agent_selection !== undefined)
    throw invalidParams([{ ...selection, message: 'is for subagents only' }]);
  if (!primary_agent && agent_selection === undefined)
    throw invalidParams([{ ...selection, message: 'is required for a subagent' }]);
  if (agent_selection === 'named' && agent_name === undefined)
    throw invalidParams([{ ...name, message: 'is required with `named`' }]);
  if (!primary_agent && agent_selection !== 'named' && agent_name !== undefined)
    throw invalidParams([{ ...name, message: 'is only allowed with `named`' }]);
}

interface RoleRequest {
  view: View;
  caller: AgentPrincipal;
  role: Role;
  decided: Decided;
}

function stateOf(
  visibility: BootstrapDependencies['visibility'],
  request: RoleRequest,
): { agent: object; catalog: object } {
  const { view, role, decided } = request;
  if (!view.capabilities.has('agents')) {
    if (role.agent_name !== undefined) {
      noteAgentsDenied(decided);
      throw agentsDenied();
    }
    return { agent: { status: 'disabled' }, catalog: { status: 'disabled' } };
  }
  const agent = agentOf(visibility, request);
  const { request_agent_catalog, agent_catalog_after: after } = role;
  const isRequested = request_agent_catalog === true || after !== undefined;
  if (agent.status !== 'selection_available' && !isRequested)
    return { agent, catalog: { status: 'not_requested' } };
  return { agent, catalog: agentCatalog(visibility, view, after ?? '') };
}

function agentOf(
  visibility: BootstrapDependencies['visibility'],
  { view, caller, role, decided }: RoleRequest,
): { status: string } {
  const described = (status: string, agent: AgentItem) => ({
    status,
    name: agent.name,
    components: visibility.components(view, agent),
  });
  if (role.agent_name !== undefined) {
    const named = findAgent(visibility, { view, decided }, role.agent_name);
    if (named === null) throw absent('no such agent definition');
    return described('selected', named);
  }
  // Subagents never inherit the assignment (K2).
  if (!role.primary_agent)
    return { status: role.agent_selection === 'self' ? 'selection_available' : 'none' };
  if (caller.default_agent_id === null) return { status: 'selection_available' };
  const assigned = visibility.reach(view, 'agent', caller.default_agent_id);
  return assigned === null ? { status: 'assignment_unavailable' } : described('assigned', assigned);
}

export const agentsDenied = () =>
  forbidden('capability_denied', 'This credential does not have the Agents capability.');
