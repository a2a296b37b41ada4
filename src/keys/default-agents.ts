import type { SessionPrincipal } from '../caller/principal.ts';
import { asRefusal } from '../platform/errors/outage.ts';
import type { AgentItem, Configuration, Visibility } from '../visibility/visibility.ts';
import type { KeyRecord } from './schema.ts';
import type { KeyRow } from './store.ts';

/** The agent of an id, where a key of this configuration reaches it. */
export type ReachAgent = (configuration: Configuration, id: string) => AgentItem | null;

export type DefaultAgents = ReturnType<typeof createDefaultAgents>;

/** Default agents of keys, decided by what decides what a key sees on MCP (K2, K3). */
export function createDefaultAgents(visibility: Pick<Visibility, 'drafts' | 'reach'>) {
  /** For keys that may have these ones; reads nothing when there is none. */
  async function reachFor(
    caller: SessionPrincipal,
    ids: readonly (string | null | undefined)[],
  ): Promise<ReachAgent> {
    if (ids.every((id) => id == null)) return () => null;
    const draft = await visibility.drafts(caller);
    return (configuration, id) => visibility.reach(draft(configuration), 'agent', id);
  }

  return {
    reachFor,
    /** Reaches no agent in an outage: keys are shown all the same. */
    reachToShow: (caller: SessionPrincipal, ids: readonly (string | null)[]): Promise<ReachAgent> =>
      reachFor(caller, ids).catch((error: unknown) => {
        if (asRefusal(error)?.kind !== 'unavailable') throw error;
        return () => null;
      }),
  };
}

/** K3: an assignment that cannot be had tells no more than that. */
export function shownAgent(row: KeyRow, reach: ReachAgent): KeyRecord['default_agent'] {
  if (row.default_agent_id === null) return null;
  const agent = reach(row, row.default_agent_id);
  return agent === null ? { available: false } : { id: agent.id, name: agent.name };
}
