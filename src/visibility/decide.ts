import type { Capability, KeyCaller } from '../caller/caller.ts';
import type { BuiltInTool, JsonSchema, ToolAnnotations } from '../catalog/tool.ts';
import { admitsTool } from '../policies/tool-policy.ts';
import type { ToolPolicy } from '../policies/tool-policy.ts';

export interface ToolItem {
  family: 'tool';
  id: string;
  name: string;
  title: string;
  description: string;
  input_schema: JsonSchema;
  output_schema: JsonSchema;
  annotations: ToolAnnotations;
  origin: 'builtin';
  /** Another one whenever anything a list shows of it is another. */
  version: string;
  tool: BuiltInTool;
}

/** Everything that decides what one caller reaches, read for one request. */
export interface View {
  caller: KeyCaller;
  connected: boolean;
  capabilities: ReadonlySet<Capability>;
  selected: ReadonlySet<string>;
  policy: ToolPolicy;
}

/** Layer and reason are for the owner of the key and the log, never for the MCP caller. */
export type Decision = { outcome: 'allowed' } | Denial;
export interface Denial {
  outcome: 'denied';
  as: 'absent' | 'not_permitted' | 'capability';
  layer: 'absent' | 'capability' | 'selection' | 'policy';
  reason: string;
}

/** What follows for one item. List, call and preview ask here, so they cannot disagree. */
export function decide(view: View, item: ToolItem): Decision {
  if (!view.connected) return denied('absent', 'absent', 'not connected');
  if (!view.capabilities.has('tools'))
    return denied('capability', 'capability', 'no Tools capability');
  if (!view.selected.has(item.id)) return denied('not_permitted', 'selection', 'not selected');
  if (!admitsTool(view.policy, { list: 'tools', id: item.id }))
    return denied('not_permitted', 'policy', 'excluded by the tool policy of the key');
  return { outcome: 'allowed' };
}

const denied = (as: Denial['as'], layer: Denial['layer'], reason: string): Denial => ({
  outcome: 'denied',
  as,
  layer,
  reason,
});
