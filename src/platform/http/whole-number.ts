import { z } from 'zod';

/**
 * Parses a whole number of at least 1 that a path or a query sends as text. The API reference calls
 * it an integer, with its bounds.
 */
export const wholeNumber = (max: number, described: { description: string; default?: number }) =>
  z
    .string()
    .refine((text) => /^[1-9][0-9]*$/.test(text) && Number(text) <= max, {
      message: `must be a whole number from 1 to ${max}`,
    })
    .meta({ type: 'integer', minimum: 1, maximum: max, ...described })
    .transform(Number);
