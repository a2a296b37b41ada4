import type { Item } from '../../visibility/visibility.ts';

/** An item that a report is about. */
export type ItemRef = Pick<Item, 'family' | 'id'>;
