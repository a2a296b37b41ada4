// Contents of character classes, for regular expressions with the `u` flag.

/** Line and paragraph separators, lone surrogates, bidi and zero-width characters. */
export const HIDING = String.raw`\p{Zl}\p{Zp}\p{Cs}\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff`;

/** Controls and all format characters too, some of which multilingual text needs. */
export const INVISIBLE = String.raw`\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}`;
