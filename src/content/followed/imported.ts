import type { Space } from '../spaces/space.ts';
import type { McpContent } from '../tools/schema.ts';
import type { FamilyPlan, Outcome } from './add-items.ts';
import type { AddedFamily, Plan, Skipped } from './plan.ts';
import type { Prepared } from './prepare.ts';
import type { ImportedContent, SkippedTool, UpstreamImported } from './schema.ts';
import { warningsOf } from './warnings.ts';

/** Formats what was added and approved, or would be, for API responses. */
export function importedOf(space: Space, { isSaved, plans }: Outcome): UpstreamImported {
  const tools = planOf(plans, 'tool');
  const added = addedIn(tools, isSaved);
  const asTool = ({ source, description, ...one }: AddedItem) => ({
    tool: source,
    ...one,
    description: description ?? '',
  });
  return {
    created: added.created.map(asTool),
    updated: added.updated.map(asTool),
    skipped: tools.skipped.map(skippedTool),
    warnings: warningsIn(space, tools),
    prompts: contentOf(planOf(plans, 'prompt'), isSaved),
    resources: contentOf(planOf(plans, 'resource'), isSaved),
  };
}

type AddedItem = ImportedContent['created'][number];

const NOTHING: Plan = { created: [], updated: [], skipped: [] };

const planOf = (plans: readonly FamilyPlan[], family: AddedFamily): Plan =>
  plans.find((one) => one.family === family)?.plan ?? NOTHING;

const contentOf = (plan: Plan, isSaved: boolean): ImportedContent => ({
  ...addedIn(plan, isSaved),
  skipped: plan.skipped,
});

function addedIn({ created, updated }: Plan, isSaved: boolean) {
  const added = ({ source, pin, description }: Prepared, name: string, id: string | null) => ({
    ...{ source, name, id, pin, description },
  });
  return {
    created: created.map(({ prepared, item_id }) =>
      added(prepared, prepared.name, isSaved ? item_id : null),
    ),
    updated: updated.map(({ prepared, pinned }) => added(prepared, pinned.name, pinned.item_id)),
  };
}

const toolCodes = {
  unknown: 'unknown_upstream_tool',
  unsuitable: 'unsuitable_upstream_tool',
} as const;

const skippedTool = ({ source, code, message }: Skipped): SkippedTool => ({
  tool: source,
  code: code === 'unknown' || code === 'unsuitable' ? toolCodes[code] : code,
  message,
});

function warningsIn(space: Space, { created, updated }: Plan) {
  const warned = ({ source, content }: Prepared, name: string) => ({
    ...{ tool: source, name },
    input_schema: (content as McpContent).input_schema,
  });
  return warningsOf(space, [
    ...created.map(({ prepared }) => warned(prepared, prepared.name)),
    ...updated.map(({ prepared, pinned }) => warned(prepared, pinned.name)),
  ]);
}
