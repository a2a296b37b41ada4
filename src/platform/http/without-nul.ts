import type { z } from 'zod';

/** A text for PostgreSQL, which stores and compares no NUL character. */
export const withoutNul = (text: z.ZodString): z.ZodString =>
  text.refine((value) => !value.includes('\0'), { message: 'must not contain a NUL character' });
