import { z } from 'zod';
import { families } from '../content/items/schema.ts';

/** Machine-readable reasons why an item is hidden. */
export const HiddenReason = z.enum([
  'not_connected',
  'capability_missing',
  'not_selected',
  'held',
  'not_exposed',
  'key_policy',
  'permission_missing',
]);
export type HiddenReason = z.infer<typeof HiddenReason>;

const Named = z.object({ id: z.guid(), name: z.string() });
const byFamily = <Value extends z.ZodType>(value: Value) =>
  z.object({ tools: value, prompts: value, resources: value, agents: value });

/** Preview of what a key would see; lists have at most 1,000 entries, `counts` has the totals. */
export const Preview = z.object({
  /** The lists that the key would receive; `system` marks the tools that every credential has. */
  visible: byFamily(z.array(Named)).extend({
    tools: z.array(Named.extend({ system: z.literal(true).optional() })),
  }),
  hidden: z.array(Named.extend({ family: z.enum(families), because: z.array(HiddenReason) })),
  counts: z.object({ visible: byFamily(z.int()), hidden: z.int() }),
  /** The errors (409 and 422) that creating the key would return. */
  errors: z.array(z.object({ code: z.string(), message: z.string(), detail: z.unknown() })),
});
export type Preview = z.infer<typeof Preview>;

// The longest name is a resource URI: three characters per byte of its path.
const ItemName = z.string().min(1).max(4_096).optional();

/** Query for exactly one item, by its name, path, URI or id. */
export const ExplainQuery = z
  .object({ tool: ItemName, prompt: ItemName, resource: ItemName, agent: ItemName })
  .refine((query) => families.filter((family) => query[family] !== undefined).length === 1, {
    message: 'must have exactly one of `tool`, `prompt`, `resource` and `agent`',
  });
export type ExplainQuery = z.infer<typeof ExplainQuery>;

const ExplanationStep = z.object({
  layer: z.enum(['credential', 'item', 'relation', 'selection', 'policy', 'limit']),
  rule: z.string(),
  outcome: z.enum(['allow', 'deny']),
  /** Evidence of the outcome: tuples, a policy entry, a rate window. */
  evidence: z.record(z.string(), z.unknown()),
});
export type ExplanationStep = z.infer<typeof ExplanationStep>;

/** All steps in the order of evaluation; in a real call, the first denial ends the evaluation. */
export const Explanation = z.object({
  outcome: z.enum(['allow', 'deny']),
  steps: z.array(ExplanationStep),
});
export type Explanation = z.infer<typeof Explanation>;
