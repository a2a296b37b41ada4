import { ClientAddressText } from '../caller/restrictions/schema.ts';
import { z } from 'zod';
import { ReportedError } from '../platform/errors/reported-error.ts';
import { Reference, References } from '../platform/http/reference.ts';
import { ToolListing } from '../caller/schema.ts';
import { families } from '../content/items/schema.ts';
import { byFamily, ItemCounts } from '../policies/item-counts.ts';
import { invalidCursor } from '../platform/http/pages.ts';
import { wholeNumber } from '../platform/http/whole-number.ts';

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

/** A part of a visible tool that some model APIs refuse. */
export const ToolWarning = z
  .object({
    code: z.literal('not_portable'),
    message: z.string().describe('What is refused, and what to change.'),
    detail: z.object({
      pointer: z.string().describe('JSON Pointer into the tool.'),
      tool: Reference,
    }),
  })
  .meta({ id: 'ToolWarning' });

/** What a key can call and read, as lists or `search_tools` return it. */
export const VisibleItems = byFamily(References)
  .extend({
    tools: z.array(
      Reference.extend({
        system: z.literal(true).optional().describe('A tool of the gateway itself.'),
      }),
    ),
  })
  .meta({ id: 'VisibleItems' });

/** A known item that a credential does not reach. */
const HiddenItem = Reference.extend({
  family: z.enum(families),
  because: z
    .array(HiddenReason)
    .describe(
      'Every reason: `not_selected` in the MCP settings, `held` until a person approves the changed tool, `not_exposed` by the organization or a team’s policy, excluded by the `key_policy`, `permission_missing` for a tool that writes.',
    ),
  fix_url: z
    .string()
    .nullable()
    .describe('Page of the dashboard where the first reason can be changed; null if there is none.')
    .meta({ examples: ['https://app.example.com/app/mcp'] }),
}).meta({ id: 'HiddenItem' });

const ACCESS_WARNINGS = [
  'address_not_allowed',
  'outside_hours',
  'many_tools',
  'policy_matches_nothing',
  'not_selected',
  'agent_unavailable',
] as const;

/** Something about a credential that its owner probably did not intend. */
export const AccessWarning = z
  .object({
    code: z.enum(ACCESS_WARNINGS),
    message: z.string(),
    detail: z
      .object({ pointer: z.string().describe('JSON Pointer into the credential.') })
      .nullable(),
  })
  .meta({ id: 'AccessWarning' });
export type AccessWarning = z.infer<typeof AccessWarning>;

/**
 * Preview of what a credential sees; lists have at most 1,000 entries, and `counts` has the totals.
 */
export const Preview = z
  .object({
    visible: VisibleItems,
    hidden: z.array(HiddenItem),
    counts: z.object({ visible: ItemCounts, hidden: z.int() }),
    /** The errors (409 and 422) that saving the key would return. */
    errors: z.array(ReportedError),
    warnings: z
      .array(z.discriminatedUnion('code', [ToolWarning, AccessWarning]))
      .describe('`not_portable`: some model APIs refuse the tool, and then the whole request.'),
    tool_listing: ToolListing,
    list_tokens: z
      .int()
      .describe('Estimated size of `tools/list` in tokens of a model: four characters each.')
      .meta({ examples: [1840] }),
    next_cursor: z.string().nullable().meta({
      id: 'FamilyCursor',
      description:
        'Cursor of the next page of the family; null on the last page or without `family`.',
    }),
  })
  .meta({ id: 'Preview' });
export type Preview = z.infer<typeof Preview>;

const PAGE_ITEMS = 200;
const MAX_CURSOR = 200;

/** Selects a page of one family of a preview; its visible and hidden items count together. */
export const PreviewQuery = z
  .object({
    family: z
      .enum(families)
      .optional()
      .describe('Returns one page of this family instead of the beginning of every list.'),
    limit: wholeNumber(PAGE_ITEMS, {
      description: `Maximum number of entries on the page: 1 to ${PAGE_ITEMS}, or ${PAGE_ITEMS} if omitted. Requires \`family\`.`,
    })
      .optional()
      .meta({ parameter: 'preview_limit' }),
    cursor: z
      .string()
      .max(MAX_CURSOR)
      .optional()
      .describe(
        '`next_cursor` of the previous page; omit it for the first page. Requires `family`.',
      )
      .meta({ parameter: 'preview_cursor' }),
  })
  .refine(({ family, limit }) => family !== undefined || limit === undefined, {
    message: 'must have `family` with `limit`',
  });
export type PreviewQuery = z.infer<typeof PreviewQuery>;

/** Returns the page that a query selects; null for the beginning of every list. */
export function previewPageOf({
  family,
  limit = PAGE_ITEMS,
  cursor,
}: PreviewQuery): PreviewPage | null {
  if (family !== undefined) return { family, limit, cursor };
  if (cursor !== undefined) throw invalidCursor();
  return null;
}

export interface PreviewPage {
  family: (typeof families)[number];
  limit: number;
  /** Id of the last item of the previous page. */
  cursor: string | undefined;
}

// The longest name is a resource URI: three characters per byte of its path.
const ItemName = z.string().min(1).max(4_096);
const itemOf = (family: (typeof families)[number], named: string) =>
  ItemName.optional()
    .describe(`${named}; send exactly one item.`)
    .meta({ parameter: `explained_${family}` });

/** Query for exactly one item, by its name, path, URI or id. */
export const ExplainQuery = z
  .object({
    tool: itemOf('tool', 'Name or id of a tool'),
    prompt: itemOf('prompt', 'Name or id of a prompt'),
    resource: itemOf('resource', 'Path, URI or id of a resource'),
    agent: itemOf('agent', 'Name or id of an agent'),
    address: ClientAddressText.optional()
      .describe('The client’s address, for a credential that works only from some.')
      .meta({ parameter: 'explained_address' }),
  })
  .refine((query) => families.filter((family) => query[family] !== undefined).length === 1, {
    message: 'must have exactly one of `tool`, `prompt`, `resource` and `agent`',
  });
export type ExplainQuery = z.infer<typeof ExplainQuery>;

const ExplanationStep = z
  .object({
    layer: z.enum(['credential', 'item', 'relation', 'selection', 'policy', 'limit']),
    rule: z
      .string()
      .describe('Name of the check: a policy, a limit or a relation of the authorization model.'),
    outcome: z.enum(['allow', 'deny']),
    /** Evidence of the outcome: tuples, a policy entry, a rate window. */
    evidence: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'ExplanationStep' });
export type ExplanationStep = z.infer<typeof ExplanationStep>;

/** All steps in the order of evaluation; in a real call, the first denial ends the evaluation. */
export const Explanation = z
  .object({
    outcome: z.enum(['allow', 'deny']),
    steps: z.array(ExplanationStep),
  })
  .meta({
    id: 'Explanation',
    description: 'Step by step, why a credential may or may not use an item.',
  });
export type Explanation = z.infer<typeof Explanation>;
