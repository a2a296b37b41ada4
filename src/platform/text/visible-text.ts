import { z } from 'zod';
import { HIDING_CHARACTERS } from './invisible.ts';

// Tabs and line ends are the only control characters allowed.
const HIDDEN = new RegExp(`[^\\P{Cc}\\t\\n\\r]|[${HIDING_CHARACTERS}]`, 'u');

export const hasInvisibleCharacters = (text: string): boolean => HIDDEN.test(text);

/** Creates the schema of a text of one or more lines that people or models read. */
export const visibleText = (max: number) =>
  z
    .string()
    .max(max, { message: `must have at most ${max} characters` })
    .refine((text) => !hasInvisibleCharacters(text), {
      message: 'must not contain invisible characters',
    });
