import { nextTurn } from '../../platform/concurrency/turns.ts';
import { mapTexts } from '../../platform/text/map-texts.ts';
import { upstreamFailure } from './failure.ts';

const MAX_ENTRIES = 500;
const MAX_PAGES = 100;
const MAX_CHARACTERS = 2_097_152;
const LONG_ENTRY = 32_768;

export interface Listing<Entry, Listed> {
  readPage(params: {
    cursor?: string;
  }): Promise<{ entries: readonly Entry[]; nextCursor?: string | undefined }>;
  /** Returns the name or URI of an entry, which must be unique in the list. */
  keyOf(entry: Entry): string;
  /** Words for the key and the entries in error messages. */
  words: { key: string; many: string };
  convert(entry: Entry): Listed;
}

/** Lists what an upstream offers of one kind, page by page, within limits. */
export async function listPages<Entry, Listed>(
  { readPage, keyOf, words, convert }: Listing<Entry, Listed>,
  fairnessKey: string,
): Promise<Listed[]> {
  const listed = new Map<string, Listed>();
  let characters = 0;
  let cursor: string | undefined;
  for (let pages = 0; ; pages += 1) {
    if (pages === MAX_PAGES) throw tooMany(words.many);
    const page = await readPage(cursor === undefined ? {} : { cursor });
    for (const entry of page.entries) {
      const { length } = JSON.stringify(entry);
      characters += length;
      const key = keyOf(entry);
      if (listed.has(key))
        throw upstreamFailure(`lists two ${words.many} with the same ${words.key}.`);
      if (listed.size === MAX_ENTRIES || characters > MAX_CHARACTERS) throw tooMany(words.many);
      // Long enough to take milliseconds.
      if (length > LONG_ENTRY) await nextTurn(fairnessKey);
      listed.set(key, convert(entry));
    }
    cursor = page.nextCursor;
    if (cursor === undefined) return [...listed.values()];
  }
}

/**
 * Replaces characters that PostgreSQL cannot store with U+FFFD, so that what has them can still be
 * quarantined.
 */
export const storable = <Fields extends object>(fields: Fields): Fields =>
  mapTexts(fields, (text) => text.toWellFormed().replaceAll('\0', '\uFFFD')) as Fields;

const tooMany = (many: string) =>
  upstreamFailure(`lists more than ${MAX_ENTRIES} ${many}, or more than 2 MB of descriptions.`);
