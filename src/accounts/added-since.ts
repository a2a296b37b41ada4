import { sql } from '../platform/postgres/database.ts';

/** Names what was added to an account at or after a time. */
export interface AddedSince {
  account_id: string;
  since: string;
}

/** Returns rows of the accounts and times, with the columns `account_id` and `since`. */
export const addedSince = (added: readonly AddedSince[]) => sql.fragment`
  ${sql.unnest(
    added.map(({ account_id, since }) => [account_id, since]),
    ['uuid', 'timestamptz'],
  )} AS added (account_id, since)`;
