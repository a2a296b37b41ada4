import { z } from 'zod';
import { boundedList } from '../../platform/json/bounded-list.ts';
import { canonicalNetwork } from '../../platform/http/canonical-network.ts';
import { isTimeZone, weekdays } from './hours.ts';

const MAX_ADDRESSES = 50;
const MAX_NETWORK_CHARACTERS = 64;
const MAX_WINDOWS = 21;
const MAX_ZONE_CHARACTERS = 64;

const Network = z
  .string()
  .max(MAX_NETWORK_CHARACTERS)
  .refine((text) => canonicalNetwork(text) !== null, {
    message: 'must be an IP address or a CIDR range, such as 192.0.2.0/24 or 2001:db8::/32',
  })
  .overwrite((text) => canonicalNetwork(text) ?? text)
  .meta({ examples: ['192.0.2.0/24'] });

/** An IP address as requests have it: an IPv4-mapped one is the IPv4 address. */
export const ClientAddressText = z
  .string()
  .max(MAX_NETWORK_CHARACTERS)
  .refine((text) => !text.includes('/') && canonicalNetwork(text) !== null, {
    message: 'must be an IP address',
  })
  .overwrite((text) => canonicalNetwork(text)?.split('/')[0] ?? text)
  .meta({ examples: ['192.0.2.7'] });

/** In canonical form, in the order that was sent, without duplicates. */
export const AllowedAddresses = boundedList(Network, MAX_ADDRESSES, 1)
  .overwrite((networks) => [...new Set(networks)])
  .nullable()
  .meta({
    id: 'AllowedAddresses',
    description:
      'Addresses and CIDR ranges from which it works, seen through trusted proxies; elsewhere it is refused like an invalid credential. Null, the default, is everywhere.',
  });

const Time = z
  .string()
  .regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, { error: 'must be a time such as 09:00' });

const HoursWindow = z.object({
  days: boundedList(z.enum(weekdays), weekdays.length, 1)
    .overwrite((days) => weekdays.filter((day) => days.includes(day)))
    .describe('Days on which it begins.'),
  from: Time.meta({ examples: ['09:00'] }),
  to: Time.describe('Not included. At or before `from`, it is a time of the next day.').meta({
    examples: ['17:00'],
  }),
});

/** When a credential works, on the clock of a time zone. */
export const Hours = z
  .object({
    zone: z
      .string()
      .max(MAX_ZONE_CHARACTERS)
      .refine(isTimeZone, { message: 'must be an IANA time zone, such as Europe/Madrid' })
      .meta({ examples: ['Europe/Madrid'] }),
    windows: boundedList(HoursWindow, MAX_WINDOWS, 1),
  })
  .nullable()
  .meta({
    id: 'Hours',
    description:
      'When it works, on the clock of the time zone; at other times it is refused like an invalid credential. Null, the default, is always.',
  });

/** The fields of a credential that restrict its use. */
export const restrictionFields = { allowed_addresses: AllowedAddresses, hours: Hours };

/** The restrictions of a credential's row. */
export const StoredRestrictions = z.object({
  allowed_addresses: z.array(z.string()).nullable(),
  hours: z
    .object({
      zone: z.string(),
      windows: z.array(
        z.object({ days: z.array(z.enum(weekdays)), from: z.string(), to: z.string() }),
      ),
    })
    .nullable(),
});

/** From where and when a credential works; null is everywhere and always. */
export type Restrictions = z.infer<typeof StoredRestrictions>;
