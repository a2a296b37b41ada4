import { newId } from '../../platform/ids.ts';
import type { PinRow } from '../pins/store.ts';
import type { PreparedTool } from './prepare.ts';
import type { skipCodes, SkippedTool } from './schema.ts';
import { toolNameOf } from './tool-name.ts';

/** How to add the tools of an upstream, and what the person who asks may do. */
export interface Wish {
  prefix: string;
  mayCreate: boolean;
  mayUpdate: boolean;
  /**
   * The pin that the person has seen: null if any will do, undefined if they have not seen the tool.
   * Only what they have seen can be an approved change.
   */
  seenPin(tool: string): string | null | undefined;
  /** Whether changed tools are approved without a pin that the person has seen. */
  approvesAny: boolean;
}

/** The state of a space that decides what becomes of the tools. */
export interface StoredTools {
  pinned: readonly PinRow[];
  /** Names of custom tools, and those that none can have. */
  isTaken(name: string): boolean;
}

export interface PlannedTool {
  prepared: PreparedTool;
  item_id: string;
}

export interface Plan {
  created: (PlannedTool & { name: string })[];
  updated: (PlannedTool & { pinned: PinRow })[];
  skipped: SkippedTool[];
}

/** Decides for each tool whether it is created, approved or skipped. */
export function planTools(
  prepared: readonly PreparedTool[],
  { pinned, isTaken }: StoredTools,
  wish: Wish,
): Plan {
  const rowsOf = Map.groupBy(pinned, ({ tool }) => tool);
  const plan: Plan = { created: [], updated: [], skipped: [] };
  const names = new Set<string>();
  for (const one of prepared) {
    const { name: tool, pin } = one.tool;
    const skip = (code: (typeof skipCodes)[number], message: string) =>
      void plan.skipped.push({ tool, code, message });
    const rows = rowsOf.get(tool) ?? [];
    const changed = rows.filter((row) => row.pin !== pin || row.held_at !== null);
    const seen = wish.seenPin(tool);
    const name = toolNameOf(wish.prefix, tool);
    if (rows.length > 0 && changed.length === 0) skip('unchanged', 'It is already added.');
    else if (seen === undefined || (seen !== null && seen !== pin))
      skip('pin_mismatch', 'The upstream describes it differently now: review it again.');
    else if (rows.length > 0 && seen === null && !wish.approvesAny)
      skip('held', 'It has changed since it was approved: review and approve the change.');
    else if (rows.length > 0 ? !wish.mayUpdate : !wish.mayCreate)
      skip(
        'not_permitted',
        `You may not ${rows.length > 0 ? 'change' : 'create'} custom tools here.`,
      );
    else if (one.problem !== null) skip('unsuitable_upstream_tool', one.problem);
    else if (rows.length > 0)
      for (const row of changed)
        plan.updated.push({ prepared: one, item_id: row.item_id, pinned: row });
    else if (names.has(name) || isTaken(name))
      skip(
        'name_taken',
        `Another tool has the name ${name}: add this one alone, with another name.`,
      );
    else {
      names.add(name);
      plan.created.push({ prepared: one, item_id: newId(), name });
    }
  }
  return plan;
}
