import { z } from 'zod';
import { PURE } from '../../catalog/catalog.ts';
import type { BuiltInTool } from '../../catalog/catalog.ts';
import type { Resources } from '../../content/content.ts';
import { isGlob, PATTERN_BYTES } from '../../policies/glob.ts';
import { Patterns } from '../../policies/patterns.ts';
import type { ResourceItem, View, Visibility } from '../../visibility/visibility.ts';
import type { Call } from '../protocol/call.ts';
import { jsonSchemaOf, defineArguments } from './arguments.ts';
import type { ParsedArguments } from './arguments.ts';
import type { GrepContext, ManagementContext } from './context.ts';
import { toNfc } from '../../platform/text/nfc.ts';

const GrepArguments = z.strictObject({
  pattern: z.string().min(1).max(1_000).describe('RE2 regular expression, matched line by line.'),
  paths: z
    .string()
    .max(PATTERN_BYTES)
    .overwrite(toNfc)
    .refine(isGlob, { message: 'must be a glob; only `?`, `*` and `**` are special' })
    .optional()
    .describe('Search only resources whose path matches this glob, such as `notes/**`.'),
  ignore_case: z.boolean().default(false),
  max_matches: z.int().min(1).max(1_000).default(100),
});
type GrepArguments = z.infer<typeof GrepArguments>;

const GrepResult = z.object({
  matches: z.array(
    z.object({ path: z.string(), uri: z.string(), line: z.int(), text: z.string() }),
  ),
  truncated: z
    .boolean()
    .describe('True if not everything was searched or returned. Narrow `paths`.'),
});

type Match = z.infer<typeof GrepResult>['matches'][number];

export const grepEntry: BuiltInTool = {
  id: '2a03cedf-115c-4e8a-9d94-a894ae8d6c90',
  name: 'grep_resource',
  title: 'Search the text of resources',
  description:
    'Finds lines that match a regular expression in the text resources this credential can ' +
    'read, except those that come from another server. The syntax is RE2 (as in Go): no ' +
    'look-around, no backreferences.',
  annotations: PURE,
  timeout_ms: 20_000,
  examples: [],
  ...defineArguments({ target: null, body: GrepArguments }),
  output_schema: jsonSchemaOf(GrepResult, 'output'),
  run: (input, context: ManagementContext) =>
    context.manage((management, call) => management.grep(call, input as ParsedArguments, context)),
  compute: null,
};

// Limits of one task in the worker pool, and of one call.
const BATCH_CHARACTERS = 1_000_000;
const SEARCHED_BYTES = 8_000_000;

export interface GrepDependencies {
  visibility: Pick<Visibility, 'list' | 'precompute'>;
  readResource: Resources['contentAt'];
}

interface Batch {
  texts: { path: string; uri: string; text: string }[];
  characters: number;
}

/** Creates the search over the resources in the caller's list; it runs in the worker pool. */
export function createGrep({ visibility, readResource }: GrepDependencies) {
  async function matchingPaths(
    fairnessKey: string,
    readable: readonly ResourceItem[],
    paths: string | undefined,
  ): Promise<readonly ResourceItem[]> {
    if (paths === undefined) return readable;
    const pattern = new Patterns([paths]);
    await visibility.precompute(fairnessKey, pattern, readable);
    return readable.filter(({ name }) => pattern.first(name) !== null);
  }

  return async function grep(
    { caller }: Call,
    view: View,
    { body }: ParsedArguments,
    context: GrepContext,
  ) {
    const { paths, max_matches, pattern, ignore_case } = body as GrepArguments;
    const matching = await matchingPaths(
      caller.quota_owner.id,
      // The content of a resource without a size is at its upstream.
      visibility.list(view, 'resource').filter(({ size }) => size !== null),
      paths,
    );
    const resources = takeBytes(matching, SEARCHED_BYTES);
    const matches: Match[] = [];

    async function search({ texts }: Batch): Promise<void> {
      if (texts.length === 0 || matches.length > max_matches) return;
      // One match more than requested shows that there are more.
      const max = max_matches + 1 - matches.length;
      const input = { texts, pattern, ignore_case, max };
      const task = { tool: 'search_lines', input, now: context.now() };
      matches.push(...((await context.workers.compute(task, context)) as Match[]));
    }

    let batch: Batch = { texts: [], characters: 0 };
    for (const resource of resources) {
      const { name, uri } = resource;
      await context.requirePermitted();
      const content = await readResource(resource);
      if (content?.text == null) continue;
      if (batch.characters + content.text.length > BATCH_CHARACTERS) {
        await search(batch);
        batch = { texts: [], characters: 0 };
      }
      batch.texts.push({ path: name, uri, text: content.text });
      batch.characters += content.text.length;
    }
    await search(batch);
    return {
      matches: matches.slice(0, max_matches),
      truncated: matches.length > max_matches || resources.length < matching.length,
    };
  };
}

function takeBytes(resources: readonly ResourceItem[], max: number): readonly ResourceItem[] {
  let total = 0;
  return resources.filter(({ size }) => (total += size ?? 0) <= max);
}
