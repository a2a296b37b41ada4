import { z } from 'zod';
import { INVISIBLE } from './invisible.ts';

const UNSEEN = new RegExp(`[${INVISIBLE}]`, 'u');
// Invisible, though not format characters: fillers, the empty Braille cell.
const BLANK = /^[\s\p{Default_Ignorable_Code_Point}\u2800]*$/u;

/** Creates the shape of a name: NFC, trimmed, 1 to `most` characters, none of them invisible. */
export const visibleName = (most: number) =>
  z
    .string()
    .refine((name) => !UNSEEN.test(name), { message: 'must not contain invisible characters' })
    .normalize('NFC')
    .trim()
    .refine((name) => Array.from(name).length <= most, {
      message: `must have at most ${most} characters`,
    })
    .refine((name) => !BLANK.test(name), { message: 'must contain a visible character' });
