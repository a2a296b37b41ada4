// Longer than any text that is normalized may be.
const MAX_LENGTH = 4_096;

/**
 * Returns a text in NFC; one that is too long for any schema as it is. Combining marks are sorted in
 * a time that grows with the square of their number: 200 kB of them take six seconds.
 */
export const toNfc = (text: string): string =>
  text.length > MAX_LENGTH ? text : text.normalize('NFC');
