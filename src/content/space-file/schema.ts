import { z } from 'zod';
import { boundedList } from '../../platform/json/bounded-list.ts';
import { shapeError } from '../../platform/errors/shape-error.ts';
import { NamedAgentDraft } from '../agents/schema.ts';
import { ItemName } from '../../policies/item-name.ts';
import { PromptDraft } from '../prompts/schema.ts';
import { resourceDraftFields } from '../resources/schema.ts';
import { HttpDraft, JsonSchema, AllAnnotations } from '../tools/schema.ts';
import { OAuthDraft } from '../upstreams/oauth/schema.ts';
import { HeaderName, MAX_HEADERS, UpstreamDraft, UpstreamName } from '../upstreams/schema.ts';

/** The lists of a file; each comes after the lists that its entries can refer to. */
export const spaceLists = ['upstreams', 'resources', 'prompts', 'custom_tools', 'agents'] as const;
export type SpaceList = (typeof spaceLists)[number];

const MAX_ENTRIES = 5_000;
const MAX_ISSUES = 20;

/** Exports contain only the names of headers; values can be set in the file or after the import. */
const SpaceUpstream = UpstreamDraft.extend({
  header_names: z.array(HeaderName).max(MAX_HEADERS).default([]),
}).meta({ id: 'ExportedUpstream' });

/** A tool with its approved description. If `held`, it is quarantined and unavailable to agents. */
const SpaceMcpTool = z
  .object({
    kind: z.literal('mcp'),
    name: ItemName,
    title: z.string().nullable(),
    description: z.string(),
    input_schema: JsonSchema,
    output_schema: JsonSchema.nullable(),
    annotations: AllAnnotations,
    mcp: z.object({
      upstream: UpstreamName,
      tool: z.string().min(1).max(500),
      pin: z.string().max(100),
    }),
    held: z.boolean().default(false),
  })
  .meta({ id: 'ExportedMcpTool' });
export type SpaceMcpTool = z.infer<typeof SpaceMcpTool>;

const at = { upstream: UpstreamName, pin: z.string().max(100) };
const source = z.string().min(1).max(2_000);

/** A prompt, or the approved description of one of an upstream; `held` if it is quarantined. */
const SpacePrompt = PromptDraft.extend({
  messages: PromptDraft.shape.messages.optional(),
  upstream: z.object({ ...at, prompt: source }).optional(),
  held: z.boolean().optional(),
})
  .refine(({ messages, upstream }) => (messages === undefined) !== (upstream === undefined), {
    message: 'must have either `messages` or `upstream`',
    path: ['messages'],
  })
  .meta({ id: 'ExportedPrompt' });
export type SpacePrompt = z.infer<typeof SpacePrompt>;

/** A resource, or the approved description of one of an upstream; `held` if it is quarantined. */
const SpaceResource = z
  .object({
    ...resourceDraftFields,
    upstream: z.object({ ...at, uri: source }).optional(),
    held: z.boolean().optional(),
  })
  .refine(
    ({ text, blob, upstream }) => [text, blob, upstream].filter((one) => one != null).length === 1,
    {
      message: 'must have either `text`, `blob` or `upstream`',
      path: ['text'],
    },
  )
  .meta({ id: 'ExportedResource' });
export type SpaceResource = z.infer<typeof SpaceResource>;

/** Names of built-in items. */
const Names = boundedList(z.string().max(64), 1_000);
const SpaceSettings = z
  .object({
    tools: Names.default([]),
    platform_prompts: Names.default([]),
  })
  .meta({ id: 'ExportedSettings' });

const head = {
  format: z.literal('toolgate-space'),
  version: z.literal(1, { message: 'must be 1, the only supported version' }),
  mcp_settings: SpaceSettings.optional(),
};

/**
 * Body of `POST /api/me/import`. It has no ids, and has secrets only if someone added them to the
 * file.
 */
export const SpaceFile = z
  .object({
    ...head,
    upstreams: listOf(SpaceUpstream),
    resources: listOf(SpaceResource),
    prompts: listOf(SpacePrompt),
    custom_tools: listOf(z.discriminatedUnion('kind', [HttpDraft, SpaceMcpTool])),
    agents: listOf(NamedAgentDraft),
  })
  .meta({ id: 'SpaceFile' });
export type SpaceFile = z.infer<typeof SpaceFile>;

/** Response of `GET /api/me/export`. */
export const SpaceExport = z
  .object({
    ...head,
    upstreams: z.array(
      SpaceUpstream.omit({ headers: true }).extend({
        oauth: OAuthDraft.omit({ client_secret: true }).optional(),
      }),
    ),
    resources: z.array(SpaceResource),
    prompts: z.array(SpacePrompt),
    custom_tools: z.array(
      z.discriminatedUnion('kind', [HttpDraft.omit({ secrets: true }), SpaceMcpTool]),
    ),
    agents: z.array(NamedAgentDraft),
    next_cursor: z
      .string()
      .nullable()
      .describe('Cursor of the next file; null if this is the last.'),
  })
  .meta({ id: 'SpaceExport' });

/**
 * Parses entries one by one and stops after `MAX_ISSUES`, so that a large body cannot yield one
 * error per entry.
 */
function listOf<Entry extends z.ZodType>(entry: Entry) {
  const { $schema: _dialect, ...items } = z.toJSONSchema(entry, {
    io: 'input',
    unrepresentable: 'any',
  });
  return z
    .array(z.unknown())
    .max(MAX_ENTRIES)
    .meta({ items })
    .transform((sent, context) => {
      const parsed: z.infer<Entry>[] = [];
      let remaining = MAX_ISSUES;
      for (const [index, sentEntry] of sent.entries()) {
        const { data, error } = entry.safeParse(sentEntry, { error: shapeError });
        if (error === undefined) parsed.push(data!);
        for (const { path, message } of error?.issues.slice(0, remaining) ?? []) {
          context.addIssue({ code: 'custom', path: [index, ...path], message });
          remaining -= 1;
        }
        if (remaining === 0) break;
      }
      return parsed;
    })
    .default([]);
}

/** `cursor` is the entry after which the file starts: `resources/notes/a.md`. */
export const ExportQuery = z.object({
  cursor: z
    .string()
    .max(1_100)
    .regex(new RegExp(`^(?:${spaceLists.join('|')})/[^\\0]*$`))
    .optional()
    .describe('`next_cursor` of the file before; omit it for the first file.'),
});

export const conflictRules = ['fail', 'skip', 'replace'] as const;
export type ConflictRule = (typeof conflictRules)[number];

export const ImportQuery = z.object({
  on_conflict: z
    .enum(conflictRules)
    .default('fail')
    .describe(
      'If a name is taken: `fail` saves nothing (409), ' +
        '`skip` keeps the stored item, `replace` gives it a new version with the file’s content.',
    ),
});

const counts = z
  .object({
    upstreams: z.int(),
    resources: z.int(),
    prompts: z.int(),
    custom_tools: z.int(),
    agents: z.int(),
  })
  .meta({ id: 'ImportCounts' });

/** The outcome; `missing` lists the secrets that must be set with PATCH before the items work. */
export const SpaceImported = z
  .object({
    created: counts,
    replaced: counts,
    skipped: counts,
    missing: z.object({
      upstreams: z.array(
        z.object({ id: z.guid(), name: z.string(), headers: z.array(z.string()) }),
      ),
      custom_tools: z.array(
        z.object({ id: z.guid(), name: z.string(), secrets: z.array(z.string()) }),
      ),
    }),
  })
  .meta({ id: 'SpaceImported' });
export type SpaceImported = z.infer<typeof SpaceImported>;
