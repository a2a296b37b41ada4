import type { AgentItem, View, Visibility } from '../../visibility/visibility.ts';
import type { Decided } from './system-tool.ts';

/** Returns the agent if the caller may use it, else null. */
export function findAgent(
  visibility: Pick<Visibility, 'find' | 'decide'>,
  { view, decided }: { view: View; decided: Decided },
  name: string,
): AgentItem | null {
  const item = visibility.find(view, 'agent', name);
  const action = { family: 'agent', item } as const;
  if (item === null) {
    decided(action, { layer: 'absent', reason: 'not_found' });
    return null;
  }
  const decision = visibility.decide(view, item);
  decided(action, decision.outcome === 'denied' ? decision : null);
  return decision.outcome === 'denied' ? null : item;
}

/** Notes that the caller has no agents at all. */
export function noteAgentsDenied(decided: Decided): void {
  const denial = { layer: 'capability', reason: 'capability_missing' } as const;
  decided({ family: 'agent', item: null }, denial);
}
