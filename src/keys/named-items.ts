import { isCurrent } from '../catalog/catalog.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { Family } from '../content/items/schema.ts';
import type { Queryable } from '../platform/postgres/database.ts';
import type { Problem } from '../platform/errors/refusal.ts';
import type { PolicyItems } from '../policies/item-policies.ts';
import type { ReachAgent } from './default-agents.ts';
import { agentUnavailable, policyProblems } from './rules.ts';
import type { KeyEdit, Policies } from './schema.ts';
import type { KeyOwner, KeyRow } from './store.ts';

export interface NamedItemsDependencies {
  catalog: Pick<Catalog, 'toolById' | 'promptById'>;
  /** Returns the given ids that belong to the account's own items, with the items' families. */
  ownItems(db: Queryable, account_id: string, ids: string[]): Promise<ReadonlyMap<string, Family>>;
}

/** The item references of a key: in its policies, and as its default agent. */
type References = Pick<KeyEdit, keyof Policies | 'mcp_capabilities' | 'default_agent_id'>;

export interface ReferenceCheck {
  owner: KeyOwner;
  sent: References;
  /** The organization that the key runs in; null for its person's account. */
  runs_in: string | null;
  /** The stored key; null for a new one. */
  stored: KeyRow | null;
  reach: ReachAgent;
}

/**
 * Creates a function that returns the 422 problems of a key's item references. Call it before the
 * change and again in its transaction, under the lock that deletions wait for, so that no reference
 * to a deleted item is saved.
 */
export function createNamedItems({ catalog, ownItems }: NamedItemsDependencies) {
  /**
   * Returns the items that a personal key may name; keys in organizations have no policies (K1).
   */
  async function findNameableItems(
    db: Queryable,
    { owner, sent }: ReferenceCheck,
  ): Promise<PolicyItems> {
    const ownFamilies = await ownItems(db, owner.id, [
      ...(sent.tool_policy?.custom_tools ?? []),
      ...(sent.prompt_policy?.prompts ?? []),
      ...(sent.agent_policy?.agents ?? []),
      ...(sent.default_agent_id == null ? [] : [sent.default_agent_id]),
    ]);
    return {
      isTool: (list, id) =>
        list === 'tools' ? isCurrent(catalog.toolById(id)) : ownFamilies.get(id) === 'tool',
      isPrompt: (list, id) =>
        list === 'platform_prompts'
          ? isCurrent(catalog.promptById(id))
          : ownFamilies.get(id) === 'prompt',
      isAgent: (id) => ownFamilies.get(id) === 'agent',
    };
  }

  return async function problems(db: Queryable, naming: ReferenceCheck): Promise<Problem[]> {
    const { sent, stored, runs_in } = naming;
    // In an organization the agent may be in several spaces. If it is deleted in the meantime, it
    // is unavailable, as if it had been deleted afterwards.
    if (runs_in !== null) return agentProblems(naming, () => true);
    const known = await findNameableItems(db, naming);
    return [...policyProblems(sent, stored, known), ...agentProblems(naming, known.isAgent)];
  };
}

/** Skips an unchanged default agent: it may have become unavailable since (K3). */
function agentProblems(
  { sent, stored, reach }: ReferenceCheck,
  isKnown: PolicyItems['isAgent'],
): Problem[] {
  const { default_agent_id: id } = sent;
  if (id == null || id === stored?.default_agent_id) return [];
  const configuration = {
    mcp_capabilities: sent.mcp_capabilities ?? stored?.mcp_capabilities ?? [],
    tool_policy: sent.tool_policy ?? stored?.tool_policy,
    resource_policy: sent.resource_policy ?? stored?.resource_policy,
    prompt_policy: sent.prompt_policy ?? stored?.prompt_policy,
    agent_policy: sent.agent_policy ?? stored?.agent_policy,
  };
  return isKnown(id) && reach(configuration, id) !== null ? [] : [agentUnavailable()];
}
