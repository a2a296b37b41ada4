import { toNfc } from './nfc.ts';

/**
 * Returns a text for comparisons that ignore case, by Unicode's full case folding: `ß` equals `ss`,
 * and a final sigma any other. Dotless `ı` also equals `i`, since both have the capital `I`.
 */
export const foldCase = (text: string): string =>
  // The capital of ß is a letter of its own, but that of ß in lower case is SS.
  toNfc(text.toLowerCase().toUpperCase().toLowerCase().replaceAll('ς', 'σ'));
