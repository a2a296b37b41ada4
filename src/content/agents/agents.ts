import type { Queryable } from '../../platform/postgres/database.ts';
import type { Problem } from '../../platform/errors/refusal.ts';
import { createItems } from '../items/items.ts';
import type { Draft, ItemFamily, ItemKind, Items, ItemsDependencies } from '../items/items.ts';
import { findItem } from '../items/store.ts';
import { readConditionNames } from './conditions.ts';
import type { ConditionsDependencies } from './conditions.ts';
import { AgentChange, AgentDraft, AgentListed, AgentRecord } from './schema.ts';
import type { AgentContent, AgentSummary, When } from './schema.ts';

export type Agents = Items<AgentContent>;

export interface AgentsDependencies extends ItemsDependencies, ConditionsDependencies {}

/**
 * Manages agent definitions. Each describes a role for a credential; which of its components apply
 * depends on what the credential can access.
 */
export function createAgents(dependencies: AgentsDependencies): Agents {
  return createItems(createKind(dependencies.catalog), dependencies);
}

const createKind = (
  catalog: AgentsDependencies['catalog'],
): ItemKind<AgentContent, AgentChange, AgentDraft> => ({
  ...agentFamily,
  draftOf: ({ name, ...content }) => ({ name, content }),
  summaryOf,
  async problems(connection, { space_id, id, content }) {
    const { components } = content;
    const stored = id === null ? [] : await storedConditions(connection, space_id, id);
    const conditions = components.flatMap(({ when }) => when ?? []);
    const nameOf = await readConditionNames(connection, { space_id, conditions }, { catalog });
    return components.flatMap(({ when }, index) =>
      when === null || nameOf(when) !== null || stored.includes(textOf(when))
        ? []
        : [unknownItem(index)],
    );
  },
});

const summaryOf = ({ description, components }: AgentContent): AgentSummary => ({
  description,
  components: components.map(({ name, when }) => ({ name, when })),
});

const textOf = (when: When) => JSON.stringify(when);

/**
 * Returns the agent's stored conditions. A condition whose item was deleted never applies, and does
 * not block edits of other fields.
 */
async function storedConditions(db: Queryable, space_id: string, id: string) {
  const row = await findItem(db, { space_id, family: 'agent', id });
  return ((row?.head as AgentSummary | undefined)?.components ?? []).map(({ when }) =>
    textOf(when),
  );
}

/**
 * Unknown items, deleted items and items of other accounts get the same error, to prevent probing.
 */
export const unknownItem = (index: number): Problem => ({
  code: 'unknown_item',
  message: 'The item does not exist.',
  detail: { pointer: `/components/${index}/when` },
});

function mergeAgent(
  stored: Draft<AgentContent>,
  { name, description, instructions, components }: AgentChange,
): Draft<AgentContent> {
  const { content } = stored;
  return {
    name: name ?? stored.name,
    content: {
      description: description ?? content.description,
      instructions: instructions ?? content.instructions,
      components: components ?? content.components,
    },
  };
}

export const agentFamily: ItemFamily<AgentContent, AgentChange, AgentDraft> = {
  family: 'agent',
  noun: 'agent',
  actions: { create: 'agent.create', update: 'agent.update', delete: 'agent.delete' },
  words: { one: 'agent definition', a: 'an agent definition', many: 'agent definitions' },
  path: 'agents',
  tag: 'Agents',
  permissions: 'agents',
  nameField: 'name',
  draft: AgentDraft,
  change: AgentChange,
  record: AgentRecord,
  listed: AgentListed,
  draft_errors: ['unknown_item'],
  merge: mergeAgent,
};
