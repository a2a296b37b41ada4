/** The tabs of an item's page; the first is not in the address. */
export const ITEM_TABS = ['edit', 'start', 'versions', 'uses'] as const;
export type ItemTab = (typeof ITEM_TABS)[number];
