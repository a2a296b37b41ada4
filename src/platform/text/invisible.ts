// Contents of character classes, for regular expressions with the flag `u`.

/** Line and paragraph separators, lone surrogates, bidi and zero-width characters. */
export const HIDING = String.raw`\p{Zl}\p{Zp}\p{Cs}\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff`;

/** Controls and every format character too: more than a text of several scripts can do without. */
export const INVISIBLE = String.raw`\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}`;
