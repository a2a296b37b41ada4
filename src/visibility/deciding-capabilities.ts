import type { Capability } from '../authz/permissions.ts';
import type { Catalog } from '../catalog/catalog.ts';
import { capabilityOf } from './decide.ts';
import type { Item } from './item.ts';

/** Returns the capabilities that decide about an item: that of its family, and what its tool requires. */
export function decidingCapabilities(
  catalog: Pick<Catalog, 'tools'>,
  { family, id }: Pick<Item, 'family' | 'id'>,
): readonly Capability[] {
  const required = catalog.tools().find((tool) => tool.id === id)?.requires?.capability;
  return [...new Set([capabilityOf[family], ...(required === undefined ? [] : [required])])];
}
