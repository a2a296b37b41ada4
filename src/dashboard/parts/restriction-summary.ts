import { listOf } from '../texts/texts.ts';
import type { Translate } from '../texts/texts.ts';
import type { RestrictionValues } from './restrictions.ts';

/** Returns the restrictions in a few words. */
export function restrictionSummary(
  { allowed_addresses, hours }: RestrictionValues,
  t: Translate,
): string {
  const parts = [
    ...(allowed_addresses.length === 0 ? [] : [t('restrictions.some_addresses')]),
    ...(hours === null ? [] : [t('restrictions.some_hours')]),
  ];
  return parts.length === 0 ? t('restrictions.none') : listOf(parts);
}
