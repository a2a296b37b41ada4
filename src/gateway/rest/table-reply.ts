import { stringify } from 'csv-stringify/sync';
import type { Reply } from '../../caller/route.ts';
import type { Table, TableFormat } from '../../caller/table.ts';
import { inTurns } from '../../platform/concurrency/turns.ts';
import type { Steps } from '../../platform/concurrency/turns.ts';
import { MEDIA_TYPES } from './table-format.ts';

type Columns = Pick<Table<never, never, never>, 'file_name' | 'columns'>;

/**
 * Builds the reply of a table as a file. Reads the first page at once: if that fails, the error is
 * answered like any other. The rest is read as the client reads; a failure then closes the
 * connection, so that the file is not taken for a complete one. Entries are encoded in turns that
 * keys share fairly.
 */
export async function tableReply(
  { file_name, columns }: Columns,
  format: TableFormat,
  pages: AsyncIterable<readonly object[]>,
  fairnessKey: string,
): Promise<Reply> {
  const iterator = pages[Symbol.asyncIterator]();
  const first = await iterator.next();
  const steps = format === 'csv' ? encodeRows(columns) : encodeLines;
  const encode = (page: readonly object[]) => inTurns(fairnessKey, steps(page));
  return {
    status: 200,
    body: undefined,
    pieces: piecesOf(first, iterator, { encode, header: format === 'csv' ? csv([columns]) : '' }),
    content_type: format === 'csv' ? `${MEDIA_TYPES.csv}; charset=utf-8` : MEDIA_TYPES[format],
    headers: { 'content-disposition': `attachment; filename="${file_name}.${format}"` },
  };
}

async function* piecesOf(
  first: IteratorResult<readonly object[]>,
  rest: AsyncIterator<readonly object[]>,
  { encode, header }: { encode(page: readonly object[]): Promise<string>; header: string },
): AsyncGenerator<string> {
  try {
    yield header + (await encode(first.done === true ? [] : first.value));
    for (let next = first; next.done !== true;) {
      next = await rest.next();
      if (next.done !== true) yield await encode(next.value);
    }
  } finally {
    // The client may have gone: nothing more is read for it.
    await rest.return?.();
  }
}

type Encode = (page: readonly object[]) => Steps<string>;

const encodeLines: Encode = function* (page) {
  let text = '';
  for (const entry of page) {
    text += `${JSON.stringify(entry)}\n`;
    yield;
  }
  return text;
};

/** Characters of cells that are encoded at once: each call of the library takes some effort. */
const ROWS_SIZE = 32_768;

const encodeRows = (columns: readonly string[]): Encode =>
  function* (page) {
    let text = '';
    let rows: string[][] = [];
    let size = 0;
    for (const entry of page) {
      const cells = columns.map((column) => cellOf(entry, column));
      rows.push(cells);
      size += cells.reduce((sum, cell) => sum + cell.length, 0);
      if (size < ROWS_SIZE) continue;
      text += csv(rows);
      rows = [];
      size = 0;
      yield;
    }
    return text + csv(rows);
  };

/**
 * RFC 4180; spreadsheets must not take the content of a cell for a formula. In languages with a
 * decimal comma they separate cells by semicolons, and then a cell can begin inside one of ours.
 */
const csv = (rows: readonly (readonly string[])[]): string =>
  stringify(
    rows.map((cells) =>
      cells.map((cell) => cell.replace(/(?<=[;\t\r\n])(?="*[=+\-@＝＋－＠])/g, "'")),
    ),
    { record_delimiter: 'windows', escape_formulas: true },
  );

/** Returns the field at a path as text; an object or a list as JSON. */
function cellOf(entry: object, column: string): string {
  const value = column
    .split('.')
    .reduce<unknown>((outer, name) => (outer as Record<string, unknown> | null)?.[name], entry);
  if (value === null || value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
