import type { EntryRow } from './entries-store.ts';
import type { ReviewEntry } from './schema.ts';

/** Returns the API record of an entry. */
export function recordOf(row: EntryRow): ReviewEntry {
  const { id, kind, subject_id, name, account_id, email, teams, follows, last_used_at } = row;
  const { held, reach, flags, decision, comment, decided_by } = row;
  return {
    id,
    subject: {
      ...{ kind, id: subject_id, name, teams, follows, last_used_at },
      owner: account_id === null ? null : { account_id, email },
    },
    ...held,
    ...{ reach, flags, decision, comment, decided_by },
  };
}
