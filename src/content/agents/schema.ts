import { z } from 'zod';
import { capabilities } from '../../authz/permissions.ts';
import { ItemId } from '../../policies/policy.ts';
import { Description, itemFacts, ItemName, PartName, Text } from '../items/schema.ts';

const COMPONENTS = 50;
const PATH_CHARACTERS = 1_024;
const TEXT_CHARACTERS = 100_000;

const ResourcePath = z.string().min(1).max(PATH_CHARACTERS).describe('The path of a resource.');

const oneOf = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z
    .object(shape)
    .partial()
    .refine((condition) => Object.keys(condition).length === 1, {
      message: `One of ${Object.keys(shape)
        .map((name) => `\`${name}\``)
        .join(', ')}.`,
    });

/** On what a component depends: a capability, or an item the credential reaches. */
const Condition = oneOf({
  capability: z.enum(capabilities),
  tool: ItemId,
  prompt: ItemId,
  agent: ItemId,
  resource: ResourcePath,
});
const When = Condition.nullable();
export type When = z.infer<typeof When>;

/**
 * A condition by names, which mean the same in another account: of built-in items (`tool`,
 * `platform_prompt`) and of the account's own. `gone` holds one whose item was gone already.
 */
const NamedCondition = oneOf({
  capability: z.enum(capabilities),
  tool: z.string().max(64),
  platform_prompt: z.string().max(64),
  custom_tool: ItemName,
  prompt: ItemName,
  agent: ItemName,
  resource: ResourcePath,
  gone: Condition,
});
export type NamedCondition = z.infer<typeof NamedCondition>;

/** The length before the entries, so that no body makes a complaint per entry. */
const componentsOf = <Of>(condition: z.ZodType<Of>) =>
  z
    .array(z.unknown())
    .max(COMPONENTS)
    .pipe(
      z.array(
        z.object({
          name: PartName,
          content: Text(TEXT_CHARACTERS),
          when: condition.nullable().default(null).describe('Null: it always applies.'),
        }),
      ),
    )
    .refine((list) => new Set(list.map(({ name }) => name)).size === list.length, {
      message: 'Each component once.',
    });
const Components = componentsOf(Condition);

const fields = {
  description: Description.min(1),
  instructions: Text(TEXT_CHARACTERS).describe('Markdown.'),
  components: Components,
};

/** What an agent definition says, as it is stored. */
export type AgentContent = z.infer<z.ZodObject<typeof fields>>;

export const AgentDraft = z.object({
  name: ItemName,
  ...fields,
  components: Components.default([]),
});
export type AgentDraft = z.infer<typeof AgentDraft>;

/** The same in the file of a space. */
export const NamedAgentDraft = AgentDraft.extend({
  components: componentsOf(NamedCondition).default([]),
});
export type NamedAgentDraft = z.infer<typeof NamedAgentDraft>;

export const AgentChange = z.object({ name: ItemName, ...fields }).partial();
export type AgentChange = z.infer<typeof AgentChange>;

const ShownComponent = z.object({ name: z.string(), when: When });

/** What lists show of a definition, and what decides which of its components apply. */
export const AgentHead = z.object({
  description: z.string(),
  components: z.array(ShownComponent),
});
export type AgentHead = z.infer<typeof AgentHead>;

export const AgentListed = z.object({ ...itemFacts, name: z.string(), ...AgentHead.shape });
export const AgentRecord = AgentListed.extend({
  instructions: z.string(),
  components: z.array(ShownComponent.extend({ content: z.string() })),
});
