import { z } from 'zod';

// The last ISO 8601 timestamp with a four-digit year, in this process and in the database.
const LAST = Date.parse('9999-12-31T23:59:59.999Z');

/** A timestamp with an offset, as the client wrote it. */
export const TimestampText = z.iso
  .datetime({ offset: true })
  .pipe(
    z
      .string()
      .refine((text) => Date.parse(text) <= LAST, { message: 'must not be after the year 9999' }),
  );

/**
 * `?from=&to=`, normalized to UTC: PostgreSQL supports neither year 0 nor offsets of a whole day.
 */
export const Timestamp = TimestampText.pipe(
  z.string().refine((text) => text >= '1970', { message: 'must be 1970 or later' }),
).transform((text) => new Date(text).toISOString());
