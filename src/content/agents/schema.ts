import { z } from 'zod';
import { McpCapability } from '../../authz/schema.ts';
import { boundedList } from '../../platform/json/bounded-list.ts';
import { ItemId } from '../../policies/policy.ts';
import { ItemName, PartName } from '../../policies/item-name.ts';
import { Description, commonFields, Text } from '../items/schema.ts';

const MAX_COMPONENTS = 50;
const MAX_PATH_CHARACTERS = 1_024;
const MAX_TEXT_CHARACTERS = 100_000;

const ResourcePath = z.string().min(1).max(MAX_PATH_CHARACTERS).describe('Path of a resource.');

const oneOf = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z
    .object(shape)
    .partial()
    .refine((condition) => Object.keys(condition).length === 1, {
      message: `must have exactly one of ${Object.keys(shape)
        .map((name) => `\`${name}\``)
        .join(', ')}`,
    });

/** Condition for including a component: a capability, or an item the credential can access. */
const Condition = oneOf({
  capability: McpCapability,
  tool: ItemId,
  prompt: ItemId,
  agent: ItemId,
  resource: ResourcePath,
}).meta({ id: 'Condition' });
const When = Condition.nullable();
export type When = z.infer<typeof When>;

/**
 * A condition with names instead of ids, so that it can be imported into another account. `tool`
 * and `platform_prompt` name built-in items, the other fields the account's own. `gone` holds a
 * condition whose item no longer existed at the time of the export.
 */
const NamedCondition = oneOf({
  capability: McpCapability,
  tool: z.string().max(64),
  platform_prompt: z.string().max(64),
  custom_tool: ItemName,
  prompt: ItemName,
  agent: ItemName,
  resource: ResourcePath,
  gone: Condition,
}).meta({ id: 'NamedCondition' });
export type NamedCondition = z.infer<typeof NamedCondition>;

const componentsOf = <Of>(condition: z.ZodType<Of>) =>
  boundedList(
    z.object({
      name: PartName,
      content: Text(MAX_TEXT_CHARACTERS),
      when: condition.nullable().default(null).describe('If null, the component always applies.'),
    }),
    MAX_COMPONENTS,
  ).refine((list) => new Set(list.map(({ name }) => name)).size === list.length, {
    message: 'must have unique component names',
  });
const Components = componentsOf(Condition);

const fields = {
  description: Description.min(1),
  instructions: Text(MAX_TEXT_CHARACTERS).describe('Markdown.'),
  components: Components,
};

/** Stored content of an agent definition. */
export type AgentContent = z.infer<z.ZodObject<typeof fields>>;

export const AgentDraft = z
  .object({
    name: ItemName,
    ...fields,
    components: Components.default([]),
  })
  .meta({ id: 'AgentDraft' });
export type AgentDraft = z.infer<typeof AgentDraft>;

/** An agent definition in a space file. */
export const NamedAgentDraft = AgentDraft.extend({
  components: componentsOf(NamedCondition).default([]),
}).meta({ id: 'ExportedAgent' });
export type NamedAgentDraft = z.infer<typeof NamedAgentDraft>;

export const AgentChange = z
  .object({ name: ItemName, ...fields })
  .partial()
  .meta({ id: 'AgentEdit' });
export type AgentChange = z.infer<typeof AgentChange>;

const ListedComponent = z
  .object({ name: z.string(), when: When })
  .meta({ id: 'ListedAgentComponent' });

/** Fields of a definition that lists show; their conditions decide which components apply. */
export const AgentSummary = z.object({
  description: z.string(),
  components: z.array(ListedComponent),
});
export type AgentSummary = z.infer<typeof AgentSummary>;

export const AgentListed = z
  .object({ ...commonFields, name: z.string(), ...AgentSummary.shape })
  .meta({ id: 'AgentSummary' });
export const AgentRecord = AgentListed.extend({
  instructions: z.string(),
  components: z.array(ListedComponent.extend({ content: z.string() })),
}).meta({ id: 'Agent' });

export const AgentStartRequest = z
  .object({ key_id: ItemId.describe('Id of an API key that you may view.') })
  .meta({ id: 'AgentStartRequest' });

/** What an agent gets from `bootstrap` when it starts with a key and names a definition. */
export const AgentStart = z
  .object({
    status: z
      .enum(['available', 'unavailable'])
      .describe('`unavailable`: the key does not reach the definition; explain tells why.'),
    name: z.string().nullable().describe('The name over MCP, which `bootstrap` takes.'),
    components: z
      .array(z.string())
      .describe('Names of the components that apply to the key, in their order.'),
    context: z.string().nullable().describe('The text with which every agent starts.'),
  })
  .meta({
    id: 'AgentStart',
    description: 'What an agent with the key gets from `bootstrap`. Nothing is saved.',
  });
export type AgentStart = z.infer<typeof AgentStart>;
