/**
 * Returns a text without any of these characters at its beginning and end. A regular expression for
 * the end, such as `_+$`, takes quadratic time if many of them are in the middle.
 */
export function withoutEnds(text: string, characters: string): string {
  let from = 0;
  let to = text.length;
  while (from < to && characters.includes(text[from]!)) from += 1;
  while (to > from && characters.includes(text[to - 1]!)) to -= 1;
  return text.slice(from, to);
}
