import type { SessionPrincipal } from '../caller/principal.ts';
import { asRefusal } from '../platform/errors/outage.ts';
import type { AgentItem, Configuration, Visibility } from '../visibility/visibility.ts';
import type { KeyRecord } from './schema.ts';
import type { KeyRow } from './store.ts';

/** Returns the agent with this id if a key of this configuration can access it, else null. */
export type ReachAgent = (configuration: Configuration, id: string) => AgentItem | null;

export type DefaultAgents = ReturnType<typeof createDefaultAgents>;

/** Resolves default agents of keys by the rules that decide what a key sees over MCP (K2, K3). */
export function createDefaultAgents(visibility: Pick<Visibility, 'drafts' | 'reach'>) {
  /** Resolves agents for keys with these default agents; reads nothing if all ids are null. */
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
    /** Resolves no agent during an outage, so that keys can still be listed. */
    reachToShow: (caller: SessionPrincipal, ids: readonly (string | null)[]): Promise<ReachAgent> =>
      reachFor(caller, ids).catch((error: unknown) => {
        if (asRefusal(error)?.kind !== 'unavailable') throw error;
        return () => null;
      }),
  };
}

/**
 * Returns the default agent as shown to the owner; an unavailable one without its identity (K3).
 */
export function shownAgent(row: KeyRow, reach: ReachAgent): KeyRecord['default_agent'] {
  if (row.default_agent_id === null) return null;
  const agent = reach(row, row.default_agent_id);
  return agent === null ? { available: false } : { id: agent.id, name: agent.name };
}
