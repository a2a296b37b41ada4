import type { Capability } from '../caller/caller.ts';
import type { Family } from '../content/items/schema.ts';
import { admitsAgent } from '../policies/agent-policy.ts';
import type { AgentPolicy } from '../policies/agent-policy.ts';
import { admitsPrompt } from '../policies/prompt-policy.ts';
import type { PromptPolicy } from '../policies/prompt-policy.ts';
import { admitsResource } from '../policies/resource-policy.ts';
import type { ResourcePolicy } from '../policies/resource-policy.ts';
import { admitsTool } from '../policies/tool-policy.ts';
import type { ToolPolicy } from '../policies/tool-policy.ts';
import type { Item } from './item.ts';
import type { Space } from '../content/spaces/spaces.ts';

/** Everything that decides what one credential reaches, read for one request. */
export interface View {
  connected: boolean;
  capabilities: ReadonlySet<Capability>;
  space: Space;
  policies: Policies;
}

export interface Policies {
  tool: ToolPolicy;
  prompt: PromptPolicy;
  resource: ResourcePolicy;
  agent: AgentPolicy;
}

/** Layer and reason are for the owner of the key and the log, never for the MCP caller. */
export type Decision = { outcome: 'allowed' } | Denial;
export interface Denial {
  outcome: 'denied';
  as: 'absent' | 'not_permitted' | 'capability';
  layer: 'absent' | 'capability' | 'selection' | 'policy';
  reason: string;
}

/** What gates a family; system tools need none. */
const capabilityOf = {
  tool: 'tools',
  prompt: 'prompts',
  resource: 'resources',
  agent: 'agents',
} as const satisfies Record<Family, Capability>;

/** What follows for one item. List, call and preview ask here, so they cannot disagree. */
export function decide(view: View, item: Item): Decision {
  if (!view.connected) return denied('absent', 'absent', 'not connected');
  if (!view.capabilities.has(capabilityOf[item.family]))
    return denied('capability', 'capability', `no ${capabilityOf[item.family]} capability`);
  if (!isSelected(view.space, item)) return denied(refusalOf(item), 'selection', 'not selected');
  if (!isAdmitted(view.policies, item))
    return denied(refusalOf(item), 'policy', `excluded by the ${item.family} policy of the key`);
  return ALLOWED;
}

/** S8, P6: what comes with the gateway is there for those who selected it. */
function isSelected(space: Space, item: Item): boolean {
  if (item.family === 'tool') return item.origin === 'custom' || space.selected_tools.has(item.id);
  if (item.family === 'prompt' && item.origin === 'platform')
    return space.selected_prompts.has(item.id);
  return true;
}

function isAdmitted(policies: Policies, item: Item): boolean {
  const { id, name } = item;
  if (item.family === 'tool')
    return admitsTool(policies.tool, {
      list: item.origin === 'custom' ? 'custom_tools' : 'tools',
      id,
    });
  if (item.family === 'resource') return admitsResource(policies.resource, name);
  if (item.family === 'agent') return admitsAgent(policies.agent, id);
  const list = item.origin === 'platform' ? 'platform_prompts' : 'prompts';
  return admitsPrompt(policies.prompt, { list, id });
}

/** Only of a tool a caller learns that it is there. */
const refusalOf = (item: Item) => (item.family === 'tool' ? 'not_permitted' : 'absent');

const ALLOWED: Decision = { outcome: 'allowed' };

const denied = (as: Denial['as'], layer: Denial['layer'], reason: string): Denial => ({
  outcome: 'denied',
  as,
  layer,
  reason,
});
