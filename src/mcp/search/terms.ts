// Scripts that put no spaces between words.
const UNSPACED = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]+$/u;
const RUNS =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]+|[\p{L}\p{N}]+/gu;
const MAX_TERM_CHARACTERS = 40;

/**
 * Returns the terms of a text, for the index and for queries: words without accents, in lower case.
 * `snake_case` and `camelCase` are several words. Where no spaces divide words, each two neighboring
 * characters are a term.
 */
export function termsOf(text: string): string[] {
  const plain = text
    .replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase();
  return (plain.match(RUNS) ?? []).flatMap((run) =>
    UNSPACED.test(run) ? pairsOf(run) : [run.slice(0, MAX_TERM_CHARACTERS)],
  );
}

function pairsOf(run: string): string[] {
  const characters = Array.from(run);
  if (characters.length === 1) return characters;
  return characters.slice(1).map((character, index) => `${characters[index]}${character}`);
}
