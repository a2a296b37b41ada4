import { changeOfCredential, oauthConnections } from '../../organizations/organizations.ts';
import type { CredentialChange, CredentialOwner } from '../../organizations/organizations.ts';
import type { Queryable } from '../../platform/postgres/database.ts';
import type { ConnectionRow } from './store.ts';

/** The fields that determine where a connection has tuples. */
type Placed = Pick<
  ConnectionRow,
  'id' | 'account_id' | 'organization_id' | 'follows_teams' | 'team_ids'
>;

/** Returns the common fields of a change of one connection; `versions` are before and after it. */
export function changeOf(
  db: Queryable,
  ...versions: readonly [Placed, ...Placed[]]
): Promise<CredentialChange> {
  const [{ id, account_id, organization_id: runs_in }] = versions;
  const owner: CredentialOwner =
    account_id === null
      ? { kind: 'organization', id: runs_in! }
      : { kind: 'account', id: account_id };
  return changeOfCredential(
    db,
    oauthConnections,
    { id, owner },
    {
      organizations: new Set(runs_in === null ? [] : [runs_in]),
      runs_in,
      team_ids: versions.flatMap(({ team_ids }) => team_ids),
      follows_teams: versions.some(({ follows_teams }) => follows_teams),
    },
  );
}

// Ids that are listed at a time.
const PAGE_SIZE = 20;

/**
 * Changes connections until none is listed any more. Each change is one of its own: its audit
 * entries are shown to the connection's person and organization, and must name no other.
 */
export async function changeEach(
  list: (limit: number) => Promise<readonly string[]>,
  change: (id: string) => Promise<void>,
): Promise<void> {
  for (;;) {
    const ids = await list(PAGE_SIZE);
    if (ids.length === 0) return;
    for (const id of ids) await change(id);
  }
}
