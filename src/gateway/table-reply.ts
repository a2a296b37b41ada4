import { stringify } from 'csv-stringify/sync';
import type { Reply } from '../caller/route.ts';
import type { Table, TableFormat } from '../caller/table.ts';
import { MEDIA_TYPES } from './table-format.ts';

type Columns = Pick<Table<never, never, never>, 'file_name' | 'columns'>;

/**
 * Builds the reply of a table as a file. Reads the first page at once: if that fails, the error is
 * answered like any other. The rest is read as the client reads; a failure then closes the
 * connection, so that the file is not taken for a complete one.
 */
export async function tableReply(
  { file_name, columns }: Columns,
  format: TableFormat,
  pages: AsyncIterable<readonly object[]>,
): Promise<Reply> {
  const iterator = pages[Symbol.asyncIterator]();
  const first = await iterator.next();
  return {
    status: 200,
    body: undefined,
    pieces: piecesOf(first, iterator, format === 'csv' ? csvOf(columns) : linesOf),
    content_type: format === 'csv' ? `${MEDIA_TYPES.csv}; charset=utf-8` : MEDIA_TYPES[format],
    headers: { 'content-disposition': `attachment; filename="${file_name}.${format}"` },
  };
}

type Encode = (page: readonly object[], isFirst: boolean) => string;

async function* piecesOf(
  first: IteratorResult<readonly object[]>,
  rest: AsyncIterator<readonly object[]>,
  encode: Encode,
): AsyncGenerator<string> {
  try {
    yield encode(first.done === true ? [] : first.value, true);
    for (let next = first; next.done !== true;) {
      next = await rest.next();
      if (next.done !== true) yield encode(next.value, false);
    }
  } finally {
    // The client may have gone: nothing more is read for it.
    await rest.return?.();
  }
}

const linesOf: Encode = (page) => page.map((entry) => `${JSON.stringify(entry)}\n`).join('');

/** RFC 4180; spreadsheets must not take the content of a cell for a formula. */
const csvOf =
  (columns: readonly string[]): Encode =>
  (page, isFirst) =>
    stringify(
      page.map((entry) => columns.map((column) => cellOf(entry, column))),
      {
        ...{ header: isFirst, columns: [...columns], record_delimiter: 'windows' },
        escape_formulas: true,
      },
    );

/** Returns the field at a path as text; an object or a list as JSON. */
function cellOf(entry: object, column: string): string {
  const value = column
    .split('.')
    .reduce<unknown>((outer, name) => (outer as Record<string, unknown> | null)?.[name], entry);
  if (value === null || value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
