import type { Catalog } from '../catalog/catalog.ts';
import type { Family } from '../content/items/schema.ts';
import type { Connection } from '../platform/postgres/database.ts';
import type { Problem } from '../platform/errors/refusal.ts';
import type { ReachAgent } from './default-agents.ts';
import { agentUnavailable, policyProblems } from './rules.ts';
import type { KnownItems } from './rules.ts';
import type { KeyEdit, Policies } from './schema.ts';
import type { KeyRow } from './store.ts';

export interface NamedItemsDependencies {
  catalog: Pick<Catalog, 'toolById' | 'promptById'>;
  /** Returns which of these ids are the account's own items, with their families. */
  ownItems(
    connection: Connection,
    account_id: string,
    ids: string[],
  ): Promise<ReadonlyMap<string, Family>>;
}

/** Item references of a key: those in its policies, and its default agent. */
type Named = Pick<KeyEdit, keyof Policies | 'mcp_capabilities' | 'default_agent_id'>;

export interface Naming {
  account_id: string;
  sent: Named;
  /** The stored key; null for a new one. */
  stored: KeyRow | null;
  reach: ReachAgent;
}

/**
 * Returns the 422 problems of a key's item references. Called before the change and again in its
 * transaction, under the lock that deletions wait for, so that no deleted item is referenced.
 */
export function createNamedItems({ catalog, ownItems }: NamedItemsDependencies) {
  async function knownItems(
    connection: Connection,
    { account_id, sent }: Naming,
  ): Promise<KnownItems> {
    const own = await ownItems(connection, account_id, [
      ...(sent.tool_policy?.custom_tools ?? []),
      ...(sent.prompt_policy?.prompts ?? []),
      ...(sent.agent_policy?.agents ?? []),
      ...(sent.default_agent_id == null ? [] : [sent.default_agent_id]),
    ]);
    return {
      isTool: (list, id) =>
        list === 'tools' ? isCurrent(catalog.toolById(id)) : own.get(id) === 'tool',
      isPrompt: (list, id) =>
        list === 'platform_prompts' ? isCurrent(catalog.promptById(id)) : own.get(id) === 'prompt',
      isAgent: (id) => own.get(id) === 'agent',
    };
  }

  return async function problems(connection: Connection, naming: Naming): Promise<Problem[]> {
    const known = await knownItems(connection, naming);
    return [...policyProblems(naming.sent, naming.stored, known), ...agentProblems(naming, known)];
  };
}

/** Skips an unchanged default agent: it may have become unavailable since (K3). */
function agentProblems({ sent, stored, reach }: Naming, known: KnownItems): Problem[] {
  const { default_agent_id: id } = sent;
  if (id == null || id === stored?.default_agent_id) return [];
  const configuration = {
    mcp_capabilities: sent.mcp_capabilities ?? stored?.mcp_capabilities ?? [],
    tool_policy: sent.tool_policy ?? stored?.tool_policy,
    resource_policy: sent.resource_policy ?? stored?.resource_policy,
    prompt_policy: sent.prompt_policy ?? stored?.prompt_policy,
    agent_policy: sent.agent_policy ?? stored?.agent_policy,
  };
  return known.isAgent(id) && reach(configuration, id) !== null ? [] : [agentUnavailable()];
}

const isCurrent = (item: { deprecated?: boolean } | undefined) =>
  item !== undefined && item.deprecated !== true;
