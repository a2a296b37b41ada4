import type { Queryable } from '../../platform/postgres/database.ts';
import { listMemberSpaces } from './store.ts';

/** Reads the items of one space, at most `max`. */
type ReadItems = (
  db: Queryable,
  space_id: string,
  max: number,
) => AsyncIterable<object> | Promise<readonly object[]>;

/**
 * Creates the part of the account's export that contains a person's own items in organizations,
 * including those the person has left. Each item names its organization; each list is read when it
 * is streamed.
 */
export function createMemberExport(families: Readonly<Record<string, ReadItems>>) {
  return (db: Queryable, account_id: string, limit: number) =>
    Object.fromEntries(
      Object.entries(families).map(([name, read]) => [
        name,
        itemsOf(read, { db, account_id, limit }),
      ]),
    );
}

async function* itemsOf(
  read: ReadItems,
  { db, account_id, limit }: { db: Queryable; account_id: string; limit: number },
): AsyncGenerator<object> {
  let remaining = limit;
  for (const { id, organization_id } of await listMemberSpaces(db, account_id)) {
    if (remaining === 0) return;
    for await (const item of await read(db, id, remaining)) {
      remaining -= 1;
      yield { organization_id, ...item };
    }
  }
}
