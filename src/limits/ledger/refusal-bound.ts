import type { QuotaOwner } from '../../caller/principal.ts';
import { ownerTag } from '../admission.ts';

const MINUTE_MS = 60_000;
const MAX_PER_MINUTE = 600;

/**
 * Limits the rows of refused calls per owner and minute: they cost no quota, so nothing else limits
 * them. Further calls appear in the metrics only.
 */
export function createRefusalBound(now: () => number = () => performance.now()) {
  const counts = new Map<string, number>();
  let minute = 0;
  return {
    admits(owner: Pick<QuotaOwner, 'kind' | 'id'>): boolean {
      const current = Math.floor(now() / MINUTE_MS);
      if (current !== minute) counts.clear();
      minute = current;
      const tag = ownerTag(owner);
      const count = counts.get(tag) ?? 0;
      if (count >= MAX_PER_MINUTE) return false;
      counts.set(tag, count + 1);
      return true;
    },
  };
}
