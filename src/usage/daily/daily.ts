import type { Queryable } from '../../platform/postgres/database.ts';
import type { OwnerRef } from '../store.ts';
import type { DailyQuery, DailyUsage } from './schema.ts';
import { listDays, listDaysOfItems } from './store.ts';

const MAX_ITEMS = 20;

/**
 * Returns an owner's usage by day. Items of teams that are not in `inside` are left out; null leaves
 * out none.
 */
export async function readDailyUsage(
  pool: Queryable,
  owner: OwnerRef,
  { from, to, by }: DailyQuery,
  inside: ReadonlySet<string> | null = null,
): Promise<DailyUsage> {
  const period = from === undefined || to === undefined ? null : { from, to };
  const days = [...(await listDays(pool, owner, period))];
  if (by === undefined) return { days };
  const items = await listDaysOfItems(pool, owner, { period, inside, limit: MAX_ITEMS });
  return { days, items: [...items] };
}
