import { z } from 'zod';
import type { Route } from '../../caller/route.ts';
import { tableFormats } from '../../caller/table.ts';
import type { TableFormat } from '../../caller/table.ts';
import { malformed } from '../../platform/errors/refusal.ts';
import { headerValues } from '../../platform/http/body.ts';
import { parseShape } from '../http/request-body.ts';

export const MEDIA_TYPES: Readonly<Record<TableFormat, string>> = {
  csv: 'text/csv',
  jsonl: 'application/x-ndjson',
};

/** Neither has a schema of its own in OpenAPI: a file is a text. */
export const CsvFile = z.string().meta({
  id: 'CsvFile',
  description:
    'CSV of RFC 4180 in UTF-8, with a header. A cell that begins like a formula gets a leading apostrophe; objects and lists are JSON.',
});
export const JsonLines = z.string().meta({
  id: 'JsonLines',
  description: 'One entry in JSON per line, with the fields of the entries of a page.',
});

/** The parameter that selects the format of a table; for a link, which cannot send `Accept`. */
export const FormatQuery = z.object({
  format: z
    .enum(['json', ...tableFormats])
    .optional()
    .describe(
      '`json`, the default, is a page; `csv` and `jsonl` are one file of all entries, without `limit` and `cursor`. `Accept` can select one too.',
    ),
});

// They belong to pages, and a file has all entries.
const OF_PAGES = ['limit', 'cursor'];

/**
 * Returns the format of the answer, null for JSON, and the other parameters. The parameter decides
 * before the header.
 */
export function splitFormat(
  { table }: Pick<Route, 'table'>,
  sent: object,
  rawHeaders: readonly string[],
): { format: TableFormat | null; query: object } {
  if (table === undefined) return { format: null, query: sent };
  const { format: named, ...query } = sent as { format?: unknown };
  const { format = acceptedFormat(rawHeaders) } = parseShape(
    FormatQuery,
    named === undefined ? {} : { format: named },
    'invalid_query',
  );
  if (format === 'json') return { format: null, query };
  const ofPage = OF_PAGES.find((name) => name in query);
  if (ofPage !== undefined)
    throw malformed('invalid_query', 'must be omitted: a file has all entries', {
      detail: { pointer: `/${ofPage}` },
    });
  return { format, query };
}

/** Returns the only format that the `Accept` header names; JSON if it names none, or JSON too. */
function acceptedFormat(rawHeaders: readonly string[]): TableFormat | 'json' {
  const named = headerValues(rawHeaders, 'accept')
    .flatMap((value) => value.split(','))
    .map((range) => range.split(';')[0]!.trim().toLowerCase());
  if (named.includes('application/json')) return 'json';
  const formats = tableFormats.filter((format) => named.includes(MEDIA_TYPES[format]));
  return formats.length === 1 ? formats[0]! : 'json';
}
