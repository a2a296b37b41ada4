import { z } from 'zod';
import { boundedList } from '../../platform/json/bounded-list.ts';
import { wholeList } from '../../platform/http/pages.ts';
import { isGlob, PATTERN_BYTES } from '../../policies/glob.ts';
import { fewEntries } from '../items/schema.ts';
import { AllAnnotations, JsonSchema, MAX_TOOL_NAME } from '../tools/schema.ts';
import { UpstreamPrompt, UpstreamResource } from '../upstreams/content/schema.ts';
import { UpstreamTool } from '../upstreams/schema.ts';

const MAX_PATTERNS = 50;

const NamePatterns = boundedList(
  z
    .string()
    .min(1)
    .max(PATTERN_BYTES)
    .refine(isGlob, { message: 'must be a glob; only `?`, `*` and `**` are special' }),
  MAX_PATTERNS,
);

const Pin = z.string().max(100);

/** Maximum number of tools that an upstream may list. */
const MAX_TOOLS = 500;

/** Which tools of an upstream are meant: those that meet every condition. */
export const ToolFilter = z
  .object({
    names: NamePatterns.optional().describe('Globs of names; one of them must match.'),
    except: NamePatterns.optional().describe('Globs of names; none of them may match.'),
    read_only: z.boolean().optional(),
    destructive: z.boolean().optional(),
    idempotent: z.boolean().optional(),
    open_world: z.boolean().optional(),
  })
  .meta({
    id: 'UpstreamToolFilter',
    description: 'Annotations that a tool lacks have the defaults of MCP.',
  });
export type ToolFilter = z.infer<typeof ToolFilter>;

/** Maximum number of prompts, and of resources, that an upstream may list. */
const MAX_CONTENT = 500;

/** Which prompts or resources of an upstream are meant: those that meet every condition. */
export const ContentFilter = z
  .object({ names: NamePatterns.optional(), except: NamePatterns.optional() })
  .meta({
    id: 'UpstreamContentFilter',
    description: 'Globs of the names of prompts, or of the paths of resources without the prefix.',
  });
export type ContentFilter = z.infer<typeof ContentFilter>;

const source = z.string().describe('Name or URI at the upstream.');

const AddedContent = z
  .object({
    source,
    name: z.string().describe('Name of the prompt, or path of the resource.'),
    id: z.guid().nullable().describe('Null in a preview.'),
    pin: z.string(),
    description: z.string().nullable(),
  })
  .meta({ id: 'AddedUpstreamContent' });

/** Why a prompt or resource was skipped. */
const contentSkipCodes = [
  'held',
  'name_taken',
  'not_permitted',
  'pin_mismatch',
  'unchanged',
  'unknown',
  'unsuitable',
] as const;

const SkippedContent = z
  .object({ source, code: z.enum(contentSkipCodes), message: z.string() })
  .meta({ id: 'SkippedUpstreamContent' });

const ImportedContent = z
  .object({
    created: z.array(AddedContent),
    updated: z.array(AddedContent),
    skipped: z.array(SkippedContent),
  })
  .meta({ id: 'UpstreamContentImported' });
export type ImportedContent = z.infer<typeof ImportedContent>;

const change = {
  change: z.enum(['new', 'changed', 'removed']),
  source,
  name: z.string().describe('Its name or path; of a new one, the one it would get.'),
  item_id: z.guid().nullable().describe('Null if it is new.'),
  since: z.iso.datetime(),
};

const PromptChangeAtUpstream = z
  .object({
    ...change,
    approved: UpstreamPrompt.omit({ name: true, pin: true })
      .nullable()
      .describe('The description that agents know, of a changed prompt.'),
    found: UpstreamPrompt.nullable(),
  })
  .meta({ id: 'UpstreamPromptChange' });
export type PromptChangeAtUpstream = z.infer<typeof PromptChangeAtUpstream>;

const ResourceChangeAtUpstream = z
  .object({
    ...change,
    approved: UpstreamResource.omit({ uri: true, pin: true })
      .nullable()
      .describe('The description that agents know, of a changed resource.'),
    found: UpstreamResource.nullable(),
  })
  .meta({ id: 'UpstreamResourceChange' });
export type ResourceChangeAtUpstream = z.infer<typeof ResourceChangeAtUpstream>;

const ApprovedContent = boundedList(
  z.object({ source: z.string().max(2_000), pin: Pin.optional() }).meta({ id: 'ApprovedContent' }),
  MAX_CONTENT,
);

const MAX_PREFIX = 40;

export const ToolPrefix = z
  .string()
  .regex(new RegExp(`^[a-z0-9_-]{0,${MAX_PREFIX}}$`), {
    message: `must be at most ${MAX_PREFIX} characters of a-z, 0-9, _ and -`,
  })
  .refine((prefix) => !prefix.includes('__'), { message: 'must not contain `__`' });

const contentPins = fewEntries(z.record(z.string(), Pin), MAX_CONTENT, 'pins');

export const UpstreamImport = z
  .object({
    prefix: ToolPrefix.optional().describe(
      'Of the new names: `docs` makes `docs_search`. By default the upstream’s name; may be empty.',
    ),
    tools: ToolFilter.default({}),
    prompts: ContentFilter.optional().describe('By default, no prompts are added.'),
    resources: ContentFilter.optional().describe('By default, no resources are added.'),
    pins: fewEntries(z.record(z.string(), Pin), MAX_TOOLS, 'pins')
      .optional()
      .describe(
        'Pins by tool, as a preview returned them: tools that are described differently now are skipped, and changed tools approved.',
      ),
    prompt_pins: contentPins.optional().describe('The same for prompts, by name.'),
    resource_pins: contentPins.optional().describe('The same for resources, by URI.'),
    follow: z
      .boolean()
      .default(true)
      .describe('Whether what the upstream adds later waits for approval.'),
    dry_run: z.boolean().default(false).describe('Saves nothing.'),
  })
  .meta({ id: 'UpstreamImport' });
export type UpstreamImport = z.infer<typeof UpstreamImport>;

const AddedTool = z
  .object({
    tool: z.string().describe('Name at the upstream.'),
    name: z.string().describe('Name of the custom tool.'),
    id: z.guid().nullable().describe('Null in a preview.'),
    pin: z.string(),
    description: z.string(),
  })
  .meta({ id: 'AddedUpstreamTool' });
export type AddedTool = z.infer<typeof AddedTool>;

/** Why a tool was skipped. */
const skipCodes = [
  'held',
  'name_taken',
  'not_permitted',
  'pin_mismatch',
  'unchanged',
  'unknown_upstream_tool',
  'unsuitable_upstream_tool',
] as const;

const SkippedTool = z
  .object({ tool: z.string(), code: z.enum(skipCodes), message: z.string() })
  .meta({ id: 'SkippedUpstreamTool' });
export type SkippedTool = z.infer<typeof SkippedTool>;

const ToolWarning = z
  .object({
    tool: z.string(),
    code: z.enum(['not_portable', 'too_many']),
    message: z.string(),
    detail: z.object({ pointer: z.string().describe('JSON Pointer into the tool.') }),
  })
  .meta({ id: 'UpstreamToolWarning' });
export type ToolWarning = z.infer<typeof ToolWarning>;

export const UpstreamImported = z
  .object({
    created: z.array(AddedTool),
    updated: z.array(AddedTool).describe('Changed tools that were approved.'),
    skipped: z.array(SkippedTool),
    warnings: z.array(ToolWarning),
    prompts: ImportedContent,
    resources: ImportedContent,
  })
  .meta({ id: 'UpstreamImported' });
export type UpstreamImported = z.infer<typeof UpstreamImported>;

/** The part of a tool that agents see, for comparison with the current one. */
const Approved = z
  .object({
    title: z.string().nullable(),
    description: z.string(),
    input_schema: JsonSchema,
    output_schema: JsonSchema.nullable(),
    annotations: AllAnnotations,
  })
  .meta({ id: 'ApprovedUpstreamTool' });

const UpstreamChange = z
  .object({
    change: z
      .enum(['new', 'changed', 'removed'])
      .describe('A `removed` tool is no longer listed by the upstream: calls of it fail.'),
    tool: z.string().describe('Name at the upstream.'),
    name: z.string().describe('Name of the custom tool; of a new one, the name it would get.'),
    custom_tool_id: z.guid().nullable().describe('Null for a new tool.'),
    approved: Approved.nullable().describe('The description that agents know, of a changed tool.'),
    found: UpstreamTool.nullable().describe('The upstream’s description; null if it has none.'),
    since: z.iso.datetime(),
  })
  .meta({ id: 'UpstreamChange' });
export type UpstreamChange = z.infer<typeof UpstreamChange>;

const Following = z
  .object({
    prefix: z.string(),
    tools: ToolFilter,
    prompts: ContentFilter.nullable().describe('Null: new prompts are not looked for.'),
    resources: ContentFilter.nullable().describe('Null: new resources are not looked for.'),
    checked_at: z.iso.datetime().nullable().describe('When its tools were last listed.'),
    failure: z.string().nullable().describe('Why the last attempt failed; null if it did not.'),
  })
  .meta({ id: 'UpstreamFollowing' });
export type Following = z.infer<typeof Following>;

export const UpstreamChanges = wholeList(UpstreamChange)
  .extend({
    prompts: z.array(PromptChangeAtUpstream).describe('Empty if you may not read prompts.'),
    resources: z.array(ResourceChangeAtUpstream).describe('Empty if you may not read resources.'),
    following: Following.nullable().describe('Null: new tools are not looked for.'),
  })
  .meta({ id: 'UpstreamChanges' });
export type UpstreamChanges = z.infer<typeof UpstreamChanges>;

export const ChangeApproval = z
  .object({
    tools: boundedList(
      z
        .object({ tool: z.string().max(MAX_TOOL_NAME), pin: Pin.optional() })
        .meta({ id: 'ApprovedTool' }),
      MAX_TOOLS,
    )
      .optional()
      .describe('The tools to approve, each as its pin describes it.'),
    prompts: ApprovedContent.optional(),
    resources: ApprovedContent.optional(),
  })
  .meta({
    id: 'UpstreamChangeApproval',
    description: 'Without any list, all that waits is approved; else only what is listed.',
  });
export type ChangeApproval = z.infer<typeof ChangeApproval>;
