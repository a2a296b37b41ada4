import type { ScopeState } from '../caller/caller.ts';

type Selected = ReadonlySet<string>;

const ACCOUNTS = 10_000;

/**
 * Selections of the accounts seen last, each good for the one state of its scope it was read
 * under: a warm call needs no second query, a changed selection is never served.
 */
export function createKeptSelection(
  read: (account_id: string) => Promise<Selected>,
  { most = ACCOUNTS } = {},
) {
  const kept = new Map<string, { stamp: string; content: number; selected: Promise<Selected> }>();

  return function selectionAt({ id, stamp, content }: ScopeState): Promise<Selected> {
    const known = kept.get(id);
    kept.delete(id);
    const isGood = known?.stamp === stamp && known.content === content;
    const entry = isGood ? known : { stamp, content, selected: read(id) };
    kept.set(id, entry);
    if (kept.size > most) kept.delete(kept.keys().next().value!);
    if (!isGood)
      entry.selected.catch(() => {
        if (kept.get(id) === entry) kept.delete(id);
      });
    return entry.selected;
  };
}
