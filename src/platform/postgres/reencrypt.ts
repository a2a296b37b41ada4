import { z } from 'zod';
import { KEY_ID_BYTES, keyIdOf } from '../secrets.ts';
import type { Secrets } from '../secrets.ts';
import { sql } from './database.ts';
import type { Queryable, Database } from './database.ts';

/** An encrypted column, declared by the store that owns its table. */
export interface EncryptedColumn<Name extends string = string> {
  table: string;
  column: string;
  /** Columns of the primary key, with their types. */
  key: readonly (readonly [name: Name, type: 'uuid' | 'text'])[];
  /** Further columns that `ownerOf` reads. */
  bound: readonly Name[];
  /** Returns the owner that a row's ciphertext is bound to. */
  ownerOf(row: Readonly<Record<Name, string>>): string;
  /** Purpose of the subkey. */
  label: string;
}

export interface ReencryptionResult {
  changed: number;
  /** Number of rows that are not encrypted with the current key, by the id of the key they use. */
  remaining: ReadonlyMap<string, number>;
}

type Row = Record<string, string> & { sealed: Buffer };
const Row = z.custom<Row>((row) => (row as Row).sealed instanceof Buffer);

// Even with the largest rows the stores allow, a batch stays within the statement timeout.
const BATCH = 200;

/**
 * Encrypts all ciphertext of a column with the current key. It is safe while gateways are serving
 * and can be stopped and restarted at any time, since each row is replaced by compare-and-set.
 */
export async function reencrypt(
  database: Pick<Database, 'pool' | 'transaction'>,
  secrets: Pick<Secrets, 'keyIds' | 'reencrypt'>,
  column: EncryptedColumn,
): Promise<ReencryptionResult> {
  const isOld = ({ sealed }: Row) => keyIdOf(sealed) !== secrets.keyIds[0];
  let changed = 0;
  for await (const rows of readBatches(database.pool, column)) {
    const replacements = rows.filter(isOld).flatMap((row) => {
      const sealed = secrets.reencrypt(column.label, column.ownerOf(row), row.sealed);
      return sealed === null ? [] : [{ row, sealed }];
    });
    if (replacements.length > 0)
      changed += await database.transaction((transaction) =>
        replace(transaction, column, replacements),
      );
  }
  // Counted afterwards: gateways may have written rows in the meantime that the loop did not see.
  const remaining = new Map<string, number>();
  for await (const rows of readBatches(database.pool, column))
    for (const id of rows.filter(isOld).map(({ sealed }) => keyIdOf(sealed)))
      remaining.set(id, (remaining.get(id) ?? 0) + 1);
  return { changed, remaining };
}

const KeyCount = z.object({ id: z.string(), count: z.number() });

/** Returns the number of a column's rows by the id of the key that encrypted them, as hex. */
export async function countByKey(
  db: Queryable,
  { table, column }: EncryptedColumn,
): Promise<ReadonlyMap<string, number>> {
  const sealed = sql.identifier([column]);
  const rows = await db.any(sql.type(KeyCount)`
    SELECT encode(substr(${sealed}, 1, ${KEY_ID_BYTES}), 'hex') AS id, count(*) AS count
    FROM ${sql.identifier([table])} WHERE ${sealed} IS NOT NULL GROUP BY 1`);
  return new Map(rows.map(({ id, count }) => [id, count]));
}

/** Reads all rows in the order of the primary key. */
async function* readBatches(
  db: Queryable,
  { table, column, key, bound }: EncryptedColumn,
): AsyncGenerator<readonly Row[]> {
  const names = key.map(([name]) => name);
  let after = sql.fragment`true`;
  for (;;) {
    const rows = await db.any(sql.type(Row)`
      SELECT ${listOf([...names, ...bound])}, ${sql.identifier([column])} AS sealed
      FROM ${sql.identifier([table])}
      WHERE ${after} AND ${sql.identifier([column])} IS NOT NULL
      ORDER BY ${listOf(names)} LIMIT ${BATCH}`);
    yield rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < BATCH) return;
    const values = sql.join(
      names.map((name) => sql.fragment`${last[name]!}`),
      sql.fragment`, `,
    );
    after = sql.fragment`(${listOf(names)}) > (${values})`;
  }
}

/**
 * Replaces ciphertext that has not changed since it was read; returns the number of replaced rows.
 */
async function replace(
  db: Queryable,
  { table, column, key }: EncryptedColumn,
  replacements: readonly { row: Row; sealed: Buffer }[],
): Promise<number> {
  const names = key.map(([name]) => name);
  const target = sql.identifier([column]);
  const isSame = sql.join(
    names.map((name) => sql.fragment`t.${sql.identifier([name])} = n.${sql.identifier([name])}`),
    sql.fragment` AND `,
  );
  const values = sql.unnest(
    replacements.map(({ row, sealed }) => [...names.map((name) => row[name]!), row.sealed, sealed]),
    [...key.map(([, type]) => type), 'bytea', 'bytea'],
  );
  const { rowCount } = await db.query(sql.typeAlias('void')`
    UPDATE ${sql.identifier([table])} AS t SET ${target} = n.replacement
    FROM ${values} AS n(${listOf(names)}, read, replacement)
    WHERE ${isSame} AND t.${target} = n.read`);
  return rowCount;
}

const listOf = (names: readonly string[]) =>
  sql.join(
    names.map((name) => sql.identifier([name])),
    sql.fragment`, `,
  );
