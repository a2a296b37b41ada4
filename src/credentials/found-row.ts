import type { Credential } from './credential.ts';

/** A row of an authentication query. */
export interface FoundRow {
  /** Position of its key in the query, from 1. */
  n: number;
  /** The credential as JSON. */
  row: string;
  /** Time of the database in milliseconds, as text, if the credential works only at some hours. */
  at: string | null;
}

/**
 * Selects columns as one JSON text: with sixteen columns, the driver would describe, name and parse
 * each of them in every response. A text that is the same as before is not even parsed
 * (`createKnownRows`), so the time stands next to it. Expects the credential `k`.
 */
export const rowOf = (columns: string): string =>
  `(SELECT row_to_json(credential)::text FROM (SELECT ${columns}) credential) AS row,
  CASE WHEN k.hours IS NOT NULL THEN (extract(epoch FROM now()) * 1000)::float8 END AS at`;

/** Returns the credentials by the keys of the query. */
export function byKey(
  keys: readonly string[],
  rows: readonly FoundRow[],
  credentialOf: (key: string, row: string) => Credential,
): ReadonlyMap<string, Credential> {
  return new Map(
    rows.map(({ n, row, at }) => {
      const key = keys[n - 1]!;
      const credential = credentialOf(key, row);
      return [key, at === null ? credential : { ...credential, read_at: new Date(Number(at)) }];
    }),
  );
}
