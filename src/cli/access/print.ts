import type { Subject } from '../../explorer/schema.ts';
import type { AccessFlags } from './connection.ts';

/** An entry as it is printed: in words, and as the columns of a table. */
export interface Printed<Entry> {
  columns: readonly string[];
  cellsOf(entry: Entry): readonly string[];
  lineOf(entry: Entry): string;
}

/** Prints entries as they arrive: as JSON lines, as CSV, or for people. */
export async function print<Entry>(
  entries: AsyncIterable<Entry>,
  { json, csv }: Pick<AccessFlags, 'json' | 'csv'>,
  { columns, cellsOf, lineOf }: Printed<Entry>,
): Promise<number> {
  if (csv) console.log(columns.join(','));
  let count = 0;
  for await (const entry of entries) {
    count += 1;
    if (json) console.log(JSON.stringify(entry));
    else console.log(csv ? cellsOf(entry).map(cell).join(',') : lineOf(entry));
  }
  return count;
}

/** Quotes a cell; a spreadsheet must not take a name for a formula. */
const cell = (text: string): string => {
  const inert = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert;
};

/** Names a subject in one line. */
export const describeSubject = ({ kind, name, owner, id }: Subject): string => {
  const what = kind === 'member' ? '' : `${kind.replaceAll('_', ' ')} `;
  const whose =
    owner === null || kind === 'member' ? '' : ` of ${owner.email ?? 'a former member'}`;
  return `${what}${name ?? id}${whose}`;
};

export const subjectColumns = ['kind', 'id', 'name', 'owner'];
export const subjectCells = ({ kind, id, name, owner }: Subject): string[] => [
  ...[kind, id, name ?? '', owner?.email ?? ''],
];
