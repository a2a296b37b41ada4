import { z } from 'zod';
import { INVISIBLE_CHARACTERS } from './invisible.ts';
import { toNfc } from './nfc.ts';

const UNSEEN = new RegExp(`[${INVISIBLE_CHARACTERS}]`, 'u');
// Invisible, though not format characters: fillers, the empty Braille cell.
const BLANK = /^[\s\p{Default_Ignorable_Code_Point}\u2800]*$/u;

/** Creates the schema of a name: NFC, trimmed, 1 to `max` characters, none of them invisible. */
export const visibleName = (max: number) =>
  z
    .string()
    .refine((name) => !UNSEEN.test(name), { message: 'must not contain invisible characters' })
    .overwrite(toNfc)
    .trim()
    .refine((name) => Array.from(name).length <= max, {
      message: `must have at most ${max} characters`,
    })
    .refine((name) => !BLANK.test(name), { message: 'must contain a visible character' });
