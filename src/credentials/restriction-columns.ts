import type { Restrictions } from '../caller/restrictions/schema.ts';
import { sql } from '../platform/postgres/database.ts';

type Sent = { [Name in keyof Restrictions]?: Restrictions[Name] | undefined };

/** Returns the value of `allowed_addresses`. */
export const addressesValue = (networks: Restrictions['allowed_addresses']) =>
  networks === null
    ? sql.fragment`NULL::text[]`
    : sql.fragment`${sql.array([...networks], 'text')}`;

/** Returns the value of `hours`. */
export const hoursValue = (hours: Restrictions['hours']) =>
  hours === null ? sql.fragment`NULL::jsonb` : sql.fragment`${sql.jsonb(json(hours))}`;

/** Returns the assignments of an UPDATE for the restrictions that were sent. */
export const restrictionChanges = ({ allowed_addresses, hours }: Sent) => [
  ...(allowed_addresses === undefined
    ? []
    : [sql.fragment`allowed_addresses = ${addressesValue(allowed_addresses)}`]),
  ...(hours === undefined ? [] : [sql.fragment`hours = ${hoursValue(hours)}`]),
];

const json = (hours: object) => hours as unknown as Parameters<typeof sql.jsonb>[0];
