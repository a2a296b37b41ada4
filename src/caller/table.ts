import { unprocessable } from '../platform/errors/refusal.ts';

/** The formats of a list besides JSON, for files and for programs that collect entries. */
export const tableFormats = ['csv', 'jsonl'] as const;
export type TableFormat = (typeof tableFormats)[number];

/**
 * A list that is also sent as one file, with a row for each entry: as CSV, or as JSON lines. It is
 * read in pages while it is sent, so that no file has to fit into memory.
 */
export interface Table<Caller, Params, Query> {
  /** Name of the file, without its extension. */
  file_name: string;
  /** Columns of the CSV: paths of fields of an entry, such as `actor.kind`. Others are left out. */
  columns: readonly string[];
  /** Entries of a file at most; more are refused with 422, before the first byte. */
  max_rows?: number;
  /** Yields the entries; whatever it throws before the first page is answered as an error. */
  pages(input: { caller: Caller; params: Params; query: Query }): AsyncIterable<readonly object[]>;
}

/** Builds the 422 for a table with more entries than a file may have. */
export const tooManyRows = (max: number) =>
  unprocessable(
    'too_large',
    `A file has at most ${max} entries: select fewer, for example with \`from\` and \`to\`.`,
  );
