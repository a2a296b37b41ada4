import { Checkbox } from '@mantine/core';
import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual';
import { useRef, useState } from 'react';
import type { KeyboardEvent } from 'react';
import { flushSync } from 'react-dom';
import styles from './item-choices.module.css';

export interface PickedItem {
  id: string;
  name: string;
  /** What a person must know before choosing it. */
  note?: string | undefined;
}

const ROW_PX = 22;

/**
 * A list that may be long: only the rows in view are in the document, and the one that has the focus
 * or gets it from Tab. Arrow keys, Home and End move the focus.
 */
export function ItemChoices({
  title,
  items,
  selected,
  onChange,
}: {
  title: string;
  items: readonly PickedItem[];
  selected: readonly string[];
  onChange(selected: string[]): void;
}) {
  const view = useRef<HTMLDivElement>(null);
  const [chosen, setActive] = useState(0);
  const last = items.length - 1;
  const active = Math.min(chosen, last);
  const rows = useVirtualizer({
    count: items.length,
    getScrollElement: () => view.current,
    estimateSize: () => ROW_PX,
    // Quick scrolling, and rows that turn out lower than estimated, leave no gap.
    overscan: 10,
    getItemKey: (index) => items[index]!.id,
    rangeExtractor: (range) =>
      [...new Set([...defaultRangeExtractor(range), active])].toSorted((a, b) => a - b),
  });
  function move(event: KeyboardEvent) {
    const next = { ArrowDown: active + 1, ArrowUp: active - 1, Home: 0, End: last }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    const index = Math.max(0, Math.min(next, last));
    flushSync(() => setActive(index));
    view.current?.querySelector<HTMLElement>(`[data-index="${index}"] input`)?.focus();
  }
  return (
    <div ref={view} className={styles.view} onKeyDown={move}>
      <div
        role="list"
        aria-label={title}
        className={styles.list}
        style={{ blockSize: rows.getTotalSize() }}
      >
        {rows.getVirtualItems().map(({ key, index, start }) => {
          const { id, name, note } = items[index]!;
          return (
            <div
              key={key}
              ref={rows.measureElement}
              data-index={index}
              role="listitem"
              aria-setsize={items.length}
              aria-posinset={index + 1}
              className={styles.row}
              style={{ insetBlockStart: start }}
            >
              <Checkbox
                size="xs"
                label={<bdi>{name}</bdi>}
                description={note}
                checked={selected.includes(id)}
                tabIndex={index === active ? 0 : -1}
                onFocus={() => setActive(index)}
                onChange={({ currentTarget }) =>
                  onChange(
                    currentTarget.checked
                      ? [...selected, id]
                      : selected.filter((one) => one !== id),
                  )
                }
              />
            </div>
          );
        })}
      </div>
    </div>
  );
}
