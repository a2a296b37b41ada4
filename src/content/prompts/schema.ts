import { z } from 'zod';
import { boundedList } from '../../platform/json/bounded-list.ts';
import { ItemName } from '../../policies/item-name.ts';
import { Description, commonFields, Quarantine, Text, Title } from '../items/schema.ts';
import { UpstreamPrompt } from '../upstreams/content/schema.ts';

const MAX_ARGUMENTS = 50;
const MAX_MESSAGES = 100;
const MAX_MESSAGE_CHARACTERS = 100_000;

const ArgumentName = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,64}$/, { message: 'must be 1 to 64 letters, digits, _ and -' });

const PromptArgument = z
  .object({
    name: ArgumentName,
    description: Description.nullable().default(null),
    required: z.boolean().default(false),
  })
  .meta({ id: 'PromptArgument' });

const PromptMessage = z
  .object({
    role: z.enum(['user', 'assistant']),
    content: Text(MAX_MESSAGE_CHARACTERS).describe(
      '`{{argument}}` is replaced by the value of the argument.',
    ),
  })
  .meta({ id: 'PromptMessage' });

const Arguments = boundedList(PromptArgument, MAX_ARGUMENTS).refine(
  (list) => new Set(list.map(({ name }) => name)).size === list.length,
  { message: 'must have unique argument names' },
);
const Messages = boundedList(PromptMessage, MAX_MESSAGES, 1);

const fields = {
  title: Title.nullable(),
  description: Description.nullable(),
  arguments: Arguments,
  messages: Messages,
};

/** Where a prompt comes from, if not from this service; `pin` is a hash of the approved description. */
export const PromptSource = z
  .object({ upstream_id: z.guid(), prompt: z.string(), pin: z.string() })
  .meta({ id: 'PromptSource' });
export type PromptSource = z.infer<typeof PromptSource>;

/** Stored content of a prompt. */
export interface PromptContent extends z.infer<z.ZodObject<typeof fields>> {
  /** Only of a prompt of an upstream, which has no messages here. */
  upstream?: PromptSource | undefined;
}

/** The description of a prompt of an upstream, with the limits of a prompt of one's own. */
export const PromptDescription = z.object({
  title: fields.title,
  description: fields.description,
  arguments: Arguments,
});

export const PromptDraft = z
  .object({
    name: ItemName,
    ...fields,
    title: fields.title.default(null),
    description: fields.description.default(null),
    arguments: Arguments.default([]),
  })
  .meta({ id: 'PromptDraft' });
export type PromptDraft = z.infer<typeof PromptDraft>;

export const PromptChange = z
  .object({ name: ItemName, ...fields })
  .partial()
  .meta({ id: 'PromptEdit' });
export type PromptChange = z.infer<typeof PromptChange>;

const shown = {
  name: z.string(),
  title: z.string().nullable(),
  description: z.string().nullable(),
  arguments: z.array(
    z.object({ name: z.string(), description: z.string().nullable(), required: z.boolean() }),
  ),
  upstream: PromptSource.optional().describe('Only of a prompt of an upstream.'),
};

/** Fields of a prompt that lists show. */
export const PromptSummary = z.object({
  title: shown.title,
  description: shown.description,
  arguments: shown.arguments,
  upstream: shown.upstream,
});
export type PromptSummary = z.infer<typeof PromptSummary>;

export const PromptListed = z
  .object({ ...commonFields, ...shown, held: Quarantine.nullable().optional() })
  .meta({ id: 'PromptSummary' });
export const PromptRecord = PromptListed.extend({
  messages: z.array(z.object({ role: z.enum(['user', 'assistant']), content: z.string() })),
  held: Quarantine.extend({ found: UpstreamPrompt }).nullable().optional(),
}).meta({ id: 'Prompt' });
