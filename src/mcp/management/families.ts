import type { z } from 'zod';
import { mergeAgent } from '../../content/agents/agents.ts';
import { AgentChange, AgentDraft, AgentListed, AgentRecord } from '../../content/agents/schema.ts';
import type { Draft } from '../../content/items/items.ts';
import type { Family } from '../../content/items/schema.ts';
import { mergePrompt } from '../../content/prompts/prompts.ts';
import {
  PromptChange,
  PromptDraft,
  PromptListed,
  PromptRecord,
} from '../../content/prompts/schema.ts';
import { mergeResource } from '../../content/resources/resources.ts';
import {
  ResourceChange,
  ResourceDraft,
  ResourceListed,
  ResourceRecord,
} from '../../content/resources/schema.ts';
import { ToolChange, ToolDraft, ToolListed, ToolRecord } from '../../content/tools/schema.ts';
import { mergeTool } from '../../content/tools/tools.ts';

/** A family as its management tools know it: the shapes of its REST. */
export interface ManagedFamily {
  family: Family;
  /** As tools and people name one, and many. */
  noun: 'resource' | 'prompt' | 'agent' | 'custom_tool';
  words: { one: string; many: string };
  /** The group of its permissions: `prompts_create`. */
  permissions: 'resources' | 'prompts' | 'agents' | 'tools';
  draft: z.ZodType;
  change: z.ZodType;
  record: z.ZodType;
  listed: z.ZodType;
  merge(stored: Draft<object>, change: unknown): Draft<object>;
}

export type Noun = ManagedFamily['noun'];

/** What a platform prompt has none of. */
const ownFacts = { version: true, created_at: true, updated_at: true } as const;

export const managedFamilies: readonly ManagedFamily[] = [
  {
    family: 'resource',
    noun: 'resource',
    words: { one: 'resource', many: 'resources' },
    permissions: 'resources',
    draft: ResourceDraft,
    change: ResourceChange,
    record: ResourceRecord,
    listed: ResourceListed,
    merge: mergeResource,
  } satisfies Described<typeof mergeResource>,
  {
    family: 'prompt',
    noun: 'prompt',
    words: { one: 'prompt', many: 'prompts' },
    permissions: 'prompts',
    draft: PromptDraft,
    change: PromptChange,
    record: PromptRecord.partial(ownFacts),
    listed: PromptListed.partial(ownFacts),
    merge: mergePrompt,
  } satisfies Described<typeof mergePrompt>,
  {
    family: 'agent',
    noun: 'agent',
    words: { one: 'agent definition', many: 'agent definitions' },
    permissions: 'agents',
    draft: AgentDraft,
    change: AgentChange,
    record: AgentRecord,
    listed: AgentListed,
    merge: mergeAgent,
  } satisfies Described<typeof mergeAgent>,
  {
    family: 'tool',
    noun: 'custom_tool',
    words: { one: 'custom tool', many: 'custom tools' },
    permissions: 'tools',
    draft: ToolDraft,
    change: ToolChange,
    record: ToolRecord,
    listed: ToolListed,
    merge: mergeTool,
  } satisfies Described<typeof mergeTool>,
] as readonly ManagedFamily[];

/** That shapes and merge of a row are of one family; the table itself holds them all. */
type Described<Merge extends (stored: never, change: never) => unknown> = Omit<
  ManagedFamily,
  'draft' | 'change' | 'merge'
> & {
  /** A whole draft is a change of everything, so that it replaces what it is merged into. */
  draft: z.ZodType<Parameters<Merge>[1]>;
  change: z.ZodType<Parameters<Merge>[1]>;
  merge: Merge;
};
