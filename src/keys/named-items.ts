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
  /** Of these ids the account's own items, and the family of each. */
  ownItems(
    connection: Connection,
    account_id: string,
    ids: string[],
  ): Promise<ReadonlyMap<string, Family>>;
}

/** What a key names: the items its policies list and its default agent. */
type Named = Pick<KeyEdit, keyof Policies | 'mcp_capabilities' | 'default_agent_id'>;

export interface Naming {
  account_id: string;
  sent: Named;
  /** The key as it is; null: it is new. */
  stored: KeyRow | null;
  reach: ReachAgent;
}

/**
 * The 422 of what a key names. Asked before the change and again in its transaction, under the lock
 * that deletions wait for, so that nothing that is gone is named.
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

/** Of an assignment as it is stored nothing is asked: it may have become unavailable (K3). */
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
