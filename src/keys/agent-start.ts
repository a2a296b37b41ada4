import type { Authz } from '../authz/authz.ts';
import type { AgentPrincipal, SessionPrincipal } from '../caller/principal.ts';
import type { Space } from '../content/content.ts';
import type { AgentStart } from '../content/agents/schema.ts';
import { isAdmitted } from '../credentials/credentials.ts';
import type { Credentials } from '../credentials/credentials.ts';
import { unprocessable } from '../platform/errors/refusal.ts';
import type { Database } from '../platform/postgres/database.ts';
import type { View, Visibility } from '../visibility/visibility.ts';
import { findKey } from './store.ts';
import type { KeyRow } from './store.ts';
import { createViewedOwners } from './viewed-owners.ts';

export interface AgentStartDependencies {
  database: Pick<Database, 'pool'>;
  authz: Pick<Authz, 'check'>;
  credentials: Pick<Credentials, 'findAll'>;
  visibility: Pick<Visibility, 'view' | 'reach' | 'components'>;
  limitExplain(account_id: string): Promise<void>;
  /** Returns the text with which every agent starts. */
  contextOf(view: View, caller: AgentPrincipal): string;
}

/** Which agent definition, and the key with which an agent would start as it. */
export interface AgentStartRequest {
  space: Space;
  agent_id: string;
  key_id: string;
}

/**
 * Creates the function that returns what `bootstrap` returns to an agent that starts with a key of
 * its own and names a definition: computed from the same view as over MCP.
 */
export function createAgentStart(dependencies: AgentStartDependencies) {
  const { database, credentials, visibility, limitExplain, contextOf } = dependencies;
  const viewedOwners = createViewedOwners(dependencies);

  /** Returns a key that the caller may view. */
  async function findViewed(caller: SessionPrincipal, space: Space, id: string): Promise<KeyRow> {
    for (const owner of await viewedOwners(caller, space)) {
      const key = await findKey(database.pool, { id, owner });
      if (key !== null) return key;
    }
    throw unprocessable('unknown_key', 'The key does not exist, or you may not view it.', {
      detail: { pointer: '/key_id' },
    });
  }

  return async function agentStart(
    caller: SessionPrincipal,
    { space, agent_id, key_id }: AgentStartRequest,
  ): Promise<AgentStart> {
    await limitExplain(caller.person);
    const key = await findViewed(caller, space, key_id);
    const credential = (await credentials.findAll([key.id])).get(key.id);
    if (credential === undefined || !isAdmitted(credential)) return UNAVAILABLE;
    const { principal } = credential;
    const view = await visibility.view(principal);
    const agent = visibility.reach(view, 'agent', agent_id);
    if (agent === null) return UNAVAILABLE;
    return {
      status: 'available',
      name: agent.name,
      components: visibility.components(view, agent),
      context: contextOf(view, principal),
    };
  };
}

const UNAVAILABLE: AgentStart = {
  ...{ status: 'unavailable', name: null, components: [], context: null },
};
