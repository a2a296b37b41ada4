import { z } from 'zod';
import { documentText } from '../documents.ts';
import { ToolFailure } from '../tool-failure.ts';
import { defineTool, PURE } from '../tool.ts';

const DELIMITERS = [',', ';', '\t', '|'] as const;

export const csvToJson = defineTool({
  id: 'ec949579-50cd-4d5f-a589-dd004e920dad',
  name: 'csv_to_json',
  title: 'CSV to JSON',
  description:
    'Parses CSV (RFC 4180: quoted fields may contain delimiters, quotes and line breaks) into rows. ' +
    'Rows are objects if there is a header, otherwise arrays. Values stay text, so 007 keeps its ' +
    'zeros. Fails with invalid_csv and the line number if rows differ in length or a quote ' +
    'is not closed. Example: {"csv": "name,age\\nAda,36"}.',
  input: z.strictObject({
    csv: documentText('At most 200,000 characters.'),
    delimiter: z
      .enum(DELIMITERS)
      .optional()
      .describe('Default: the most frequent of , ; tab and | in the first line.'),
    header: z.boolean().optional().describe('The first row names the columns. Default true.'),
    trim: z.boolean().optional().describe('Remove spaces around values. Default false.'),
  }),
  output: z.object({
    rows: z.array(z.union([z.record(z.string(), z.string()), z.array(z.string())])),
    columns: z.array(z.string()).nullable(),
    count: z.int(),
  }),
  annotations: PURE,
  timeout_ms: 10_000,
  examples: [
    {
      title: 'A header and a quoted comma',
      arguments: { csv: 'name,born\n"Lovelace, Ada",1815\n' },
      result: {
        rows: [{ name: 'Lovelace, Ada', born: '1815' }],
        columns: ['name', 'born'],
        count: 1,
      },
    },
    {
      title: 'Semicolons, no header',
      arguments: { csv: 'a;1\nb;2', header: false },
      result: {
        rows: [
          ['a', '1'],
          ['b', '2'],
        ],
        columns: null,
        count: 2,
      },
    },
    { title: 'A row that is too short', arguments: { csv: 'a,b\n1' }, error: 'invalid_csv' },
    {
      title: 'A column name used twice',
      arguments: { csv: 'a,a\n1,2' },
      error: 'duplicate_column',
    },
  ],
  async compute({ csv, delimiter = guessDelimiter(csv), header = true, trim = false }) {
    const { CsvError, parse } = await import('csv-parse/sync');
    let rows: string[][];
    try {
      rows = parse(csv, { bom: true, delimiter, trim, skip_empty_lines: true });
    } catch (error) {
      if (!(error instanceof CsvError)) throw error;
      throw new ToolFailure('invalid_csv', error.message, { line: error['lines'] });
    }
    if (!header) return { rows, columns: null, count: rows.length };
    const [columns = [], ...records] = rows;
    const seen = new Set<string>();
    const duplicate = columns.find((name) => seen.size === seen.add(name).size);
    if (duplicate !== undefined)
      throw new ToolFailure('duplicate_column', `Two columns are named "${duplicate}".`);
    const named = records.map((record) =>
      Object.fromEntries(columns.map((name, index) => [name, record[index] ?? ''])),
    );
    return { rows: named, columns, count: named.length };
  },
});

function guessDelimiter(csv: string): (typeof DELIMITERS)[number] {
  const [firstLine = ''] = csv.split(/\r|\n/, 1);
  const counted = DELIMITERS.map((delimiter) => ({
    delimiter,
    count: firstLine.split(delimiter).length,
  }));
  return counted.toSorted((a, b) => b.count - a.count)[0]?.delimiter ?? ',';
}
