// Contents of character classes, for regular expressions with the `u` flag.

/** Line and paragraph separators, lone surrogates, bidi and zero-width characters. */
export const HIDING_CHARACTERS = String.raw`\p{Zl}\p{Zp}\p{Cs}\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff`;

/** Also control characters and all format characters, some of which multilingual text needs. */
export const INVISIBLE_CHARACTERS = String.raw`\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}`;
