import { z } from 'zod';
import { INVISIBLE } from './invisible.ts';

const UNSEEN = new RegExp(`[${INVISIBLE}]`, 'u');
// Invisible, though not format characters: fillers, the empty Braille cell.
const BLANK = /^[\s\p{Default_Ignorable_Code_Point}\u2800]*$/u;

/** Creates the shape of a name: NFC, trimmed, 1 to `max` characters, without invisible ones. */
export const visibleName = (max: number) =>
  z
    .string()
    .refine((name) => !UNSEEN.test(name), { message: 'must not contain invisible characters' })
    .normalize('NFC')
    .trim()
    .refine((name) => Array.from(name).length <= max, {
      message: `must have at max ${max} characters`,
    })
    .refine((name) => !BLANK.test(name), { message: 'must contain a visible character' });
