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

/** The reason is for the log, the preview and the explorer, never for the MCP caller. */
export type Decision =
  | { outcome: 'allowed' }
  | { outcome: 'denied'; as: 'absent' | 'not_permitted' | 'capability'; reason: string };

/** What follows for one item. List, call and preview ask here, so they cannot disagree. */
export function decide(view: View, item: ToolItem): Decision {
  if (!view.connected) return denied('absent', 'not connected');
  if (!view.capabilities.has('tools')) return denied('capability', 'no Tools capability');
  if (!view.selected.has(item.id)) return denied('not_permitted', 'not selected');
  if (!admitsTool(view.policy, { list: 'tools', id: item.id }))
    return denied('not_permitted', 'excluded by the tool policy of the key');
  return { outcome: 'allowed' };
}

const denied = (as: 'absent' | 'not_permitted' | 'capability', reason: string): Decision => ({
  outcome: 'denied',
  as,
  reason,
});
