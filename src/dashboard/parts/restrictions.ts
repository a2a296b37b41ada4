import type { Restrictions } from '../../caller/restrictions/schema.ts';

export type Hours = NonNullable<Restrictions['hours']>;
export type HoursWindow = Hours['windows'][number];

/** From where and when a credential works; an empty list of addresses is everywhere. */
export type RestrictionValues = {
  allowed_addresses: string[];
  hours: Hours | null;
};

/** Returns the form's values of a credential. */
export const restrictionValuesOf = ({
  allowed_addresses,
  hours,
}: Restrictions): RestrictionValues => ({
  allowed_addresses: [...(allowed_addresses ?? [])],
  hours,
});

/** Returns what is sent. */
export const restrictionsOf = ({ allowed_addresses, hours }: RestrictionValues): Restrictions => ({
  allowed_addresses: allowed_addresses.length === 0 ? null : allowed_addresses,
  hours,
});
