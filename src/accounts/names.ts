import { INVISIBLE } from '../platform/text/invisible.ts';

const LONGEST_NAME = 100;
// Nothing a name needs, private use characters neither.
const UNPRINTABLE = new RegExp(`[${INVISIBLE}\\p{Co}]`, 'u');

/** What a person may be called; the empty name is none. */
export const isName = (name: string): boolean =>
  name.length <= LONGEST_NAME && !UNPRINTABLE.test(name);

/** The stored form of a name, or null for none. */
export const readName = (name: string | null | undefined): string | null =>
  name?.normalize('NFC').trim() || null;

export const NAME_MESSAGE = 'At most 100 characters, without control characters.';

const UNPRINTABLES = new RegExp(UNPRINTABLE, 'gu');

/** A name somebody else wrote: what a name may not hold is left out. */
export const cleanName = (name: string | undefined): string | null => {
  const printable = name?.slice(0, LONGEST_NAME).replaceAll(UNPRINTABLES, '') ?? '';
  return printable.normalize('NFC').trim().slice(0, LONGEST_NAME) || null;
};
