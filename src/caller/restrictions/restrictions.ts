import { createNetworkSet } from '../../platform/http/networks.ts';
import { isUnchanged } from '../../platform/unchanged.ts';
import { isWithinHours } from './hours.ts';
import type { Hours } from './hours.ts';
import type { Restrictions } from './schema.ts';

export type RestrictionReason = 'address_not_allowed' | 'outside_hours';

/** Where and when a credential is used. */
export interface Use {
  /** Returns the client's address, seen through trusted proxies. */
  address(): string;
  /** The time by the database's clock; needed only for a credential that is limited to hours. */
  now: Date | undefined;
}

const sets = new WeakMap<readonly string[], (address: string) => boolean>();

/** Returns whether an address is in one of these networks. */
export function isAllowedAddress(networks: readonly string[], address: string): boolean {
  let isIn = sets.get(networks);
  if (isIn === undefined) sets.set(networks, (isIn = createNetworkSet(networks)));
  return isIn(address);
}

/** Returns whether a time, or an unknown time, is outside hours. */
export const isOutsideHours = (hours: Hours | null, now: Date | undefined): boolean =>
  hours !== null && (now === undefined || !isWithinHours(hours, now));

/** Returns why a credential may not be used there and then; null if it may. */
export function restrictionAgainst(
  restrictions: Restrictions | null,
  { address, now }: Use,
): RestrictionReason | null {
  if (restrictions === null) return null;
  const { allowed_addresses, hours } = restrictions;
  if (allowed_addresses !== null && !isAllowedAddress(allowed_addresses, address()))
    return 'address_not_allowed';
  return isOutsideHours(hours, now) ? 'outside_hours' : null;
}

/**
 * Returns the restrictions of an edit that may let a credential work where, or when, it does not
 * work now: all but new ones, and lists of addresses that only become shorter.
 */
export function loosenedBy(
  sent: { [Name in keyof Restrictions]?: Restrictions[Name] | undefined },
  stored: Restrictions,
): (keyof Restrictions)[] {
  const { allowed_addresses: networks, hours } = sent;
  const isLooserIn = {
    allowed_addresses:
      networks !== undefined &&
      stored.allowed_addresses !== null &&
      networks?.every((one) => stored.allowed_addresses!.includes(one)) !== true,
    hours: hours !== undefined && stored.hours !== null && !isUnchanged(stored.hours, hours),
  };
  return (['allowed_addresses', 'hours'] as const).filter((name) => isLooserIn[name]);
}
