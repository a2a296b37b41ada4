import type { ScopeState } from '../caller/caller.ts';
import type { Space } from '../content/spaces/spaces.ts';

const ACCOUNTS = 10_000;
const ITEMS = 200_000;

/**
 * Spaces of the accounts seen last, each good for the one state of its scope it was read under: a
 * warm call needs no second query, a changed space is never served.
 */
export function createKeptSpaces(
  read: (account_id: string) => Promise<Space>,
  { most = ACCOUNTS, mostItems = ITEMS } = {},
) {
  const kept = new Map<string, Kept>();
  let items = 0;

  function drop(id: string): void {
    items -= kept.get(id)?.items ?? 0;
    kept.delete(id);
  }

  function shrink(): void {
    for (const id of kept.keys()) {
      if (kept.size <= most && items <= mostItems) return;
      if (kept.size > 1) drop(id);
    }
  }

  function begin({ id, stamp, content }: ScopeState): Kept {
    const entry: Kept = { stamp, content, items: 0, space: read(id) };
    drop(id);
    kept.set(id, entry);
    entry.space.then(
      (space) => {
        if (kept.get(id) !== entry) return;
        entry.items = space.items.length;
        items += entry.items;
        shrink();
      },
      () => {
        if (kept.get(id) === entry) drop(id);
      },
    );
    shrink();
    return entry;
  }

  return function spaceAt(scope: ScopeState): Promise<Space> {
    const known = kept.get(scope.id);
    if (known?.stamp !== scope.stamp || known.content !== scope.content) return begin(scope).space;
    kept.delete(scope.id);
    kept.set(scope.id, known);
    return known.space;
  };
}

interface Kept {
  stamp: string;
  content: number;
  items: number;
  space: Promise<Space>;
}
