import type { Credential } from './credential.ts';

/** A row of an authentication query. */
export interface FoundRow {
  /** Position of its key in the query, from 1. */
  n: number;
  /** The credential as JSON. */
  row: string;
}

/**
 * Selects columns as one JSON text: with sixteen columns, the driver would describe, name and parse
 * each of them in every response. A text that is the same as before is not even parsed
 * (`createKnownRows`).
 */
export const rowOf = (columns: string): string =>
  `(SELECT row_to_json(credential)::text FROM (SELECT ${columns}) credential) AS row`;

/** Returns the credentials by the keys of the query. */
export function byKey(
  keys: readonly string[],
  rows: readonly FoundRow[],
  credentialOf: (key: string, row: string) => Credential,
): ReadonlyMap<string, Credential> {
  return new Map(
    rows.map(({ n, row }) => {
      const key = keys[n - 1]!;
      return [key, credentialOf(key, row)];
    }),
  );
}
