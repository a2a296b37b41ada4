import { newId } from '../../platform/ids.ts';
import type { ContentFamily } from '../upstreams/content/schema.ts';
import type { Prepared } from './prepare.ts';

/** The families of items that may come from an upstream. */
export type AddedFamily = 'tool' | ContentFamily;

/** How to add what an upstream offers of a family, and what the person who asks may do. */
export interface Wish {
  mayCreate: boolean;
  mayUpdate: boolean;
  /**
   * The pin that the person has seen: null if any will do, undefined if they have not seen it. Only
   * what they have seen can be an approved change.
   */
  seenPin(source: string): string | null | undefined;
  /** Whether changes are approved without a pin that the person has seen. */
  approvesAny: boolean;
}

/** An item that is already added. */
interface AddedItem {
  item_id: string;
  name: string;
  source: string;
  pin: string;
  held_at: string | null;
}

/** The state of a space that decides what becomes of what is offered. */
interface StoredItems {
  pinned: readonly AddedItem[];
  /** Names of items, and those that none can have. */
  isTaken(name: string): boolean;
}

export interface Skipped {
  source: string;
  code: SkipCode;
  message: string;
}

type SkipCode =
  | 'held'
  | 'name_taken'
  | 'not_permitted'
  | 'pin_mismatch'
  | 'unchanged'
  | 'unknown'
  | 'unsuitable';

export interface Plan {
  created: { prepared: Prepared; item_id: string }[];
  updated: { prepared: Prepared; pinned: AddedItem }[];
  skipped: Skipped[];
}

const words: Readonly<Record<AddedFamily, { one: string; many: string; instead: string }>> = {
  tool: {
    ...{ one: 'tool', many: 'custom tools' },
    instead: 'add this one alone, with another name',
  },
  prompt: { one: 'prompt', many: 'prompts', instead: 'rename it, or import with another prefix' },
  resource: {
    one: 'resource',
    many: 'resources',
    instead: 'move it, or import with another prefix',
  },
};

/** Decides for each prepared one whether it is created, approved or skipped. */
export function planItems(
  family: AddedFamily,
  prepared: readonly Prepared[],
  { pinned, isTaken }: StoredItems,
  wish: Wish,
): Plan {
  const { one: word, many, instead } = words[family];
  const rowsOf = Map.groupBy(pinned, ({ source }) => source);
  const plan: Plan = { created: [], updated: [], skipped: [] };
  const names = new Set<string>();
  for (const one of prepared) {
    const { source, pin, name } = one;
    const skip = (code: SkipCode, message: string) =>
      void plan.skipped.push({ source, code, message });
    const rows = rowsOf.get(source) ?? [];
    const changed = rows.filter((row) => row.pin !== pin || row.held_at !== null);
    const seen = wish.seenPin(source);
    if (!wish.mayCreate && !wish.mayUpdate)
      skip('not_permitted', `You may neither create nor change ${many} here.`);
    else if (rows.length > 0 && changed.length === 0) skip('unchanged', 'It is already added.');
    else if (seen === undefined || (seen !== null && seen !== pin))
      skip('pin_mismatch', 'The upstream describes it differently now: review it again.');
    else if (rows.length > 0 && seen === null && !wish.approvesAny)
      skip('held', 'It has changed since it was approved: review and approve the change.');
    else if (rows.length > 0 ? !wish.mayUpdate : !wish.mayCreate)
      skip('not_permitted', `You may not ${rows.length > 0 ? 'change' : 'create'} ${many} here.`);
    else if (one.problem !== null) skip('unsuitable', one.problem);
    else if (rows.length > 0)
      for (const row of changed) plan.updated.push({ prepared: one, pinned: row });
    else if (names.has(name) || isTaken(name))
      skip('name_taken', `Another ${word} has the name ${name}: ${instead}.`);
    else {
      names.add(name);
      plan.created.push({ prepared: one, item_id: newId() });
    }
  }
  return plan;
}
