import { INVISIBLE_CHARACTERS } from '../platform/text/invisible.ts';

const MAX_NAME_LENGTH = 100;
// Invisible and private-use characters, which no name needs.
const UNPRINTABLE = new RegExp(`[${INVISIBLE_CHARACTERS}\\p{Co}]`, 'u');

/** Returns whether the text is a valid name; the empty string is valid and means no name. */
export const isName = (name: string): boolean =>
  name.length <= MAX_NAME_LENGTH && !UNPRINTABLE.test(name);

/** Returns the stored form of a name, or null if it is empty. */
export const readName = (name: string | null | undefined): string | null =>
  name?.normalize('NFC').trim() || null;

export const NAME_MESSAGE = 'Must have at most 100 characters and no control characters.';

const UNPRINTABLES = new RegExp(UNPRINTABLE, 'gu');

/** Returns a third party's name without invalid characters, truncated; null if nothing is left. */
export const cleanName = (name: string | undefined): string | null => {
  const printable = name?.slice(0, MAX_NAME_LENGTH).replaceAll(UNPRINTABLES, '') ?? '';
  return printable.normalize('NFC').trim().slice(0, MAX_NAME_LENGTH) || null;
};
