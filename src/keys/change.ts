import type { Queryable } from '../platform/postgres/database.ts';
import { apiKeys, changeOfCredential, organizationsOf } from '../organizations/organizations.ts';
import type { CredentialChange } from '../organizations/organizations.ts';
import type { Grant } from './schema.ts';
import type { KeyId } from './store.ts';

/** The fields that determine in which organizations and teams a key has tuples. */
interface KeyVersion {
  org_scope?: string | null;
  grants?: readonly Grant[] | undefined;
  team_ids?: readonly string[] | null | undefined;
}

/**
 * Returns the common fields of a change of a key; `versions` are the stored and the changed key.
 */
export const changeOf = (
  db: Queryable,
  key: KeyId,
  ...versions: readonly KeyVersion[]
): Promise<CredentialChange> =>
  changeOfCredential(db, apiKeys, key, {
    organizations: versions
      .map(({ org_scope = null, grants = [] }) => organizationsOf({ org_scope, grants }))
      .reduce((all, part) => all.union(part), new Set<string>()),
    runs_in: versions.find(({ org_scope }) => org_scope)?.org_scope ?? null,
    team_ids: versions.flatMap(({ team_ids }) => team_ids ?? []),
    follows_teams: versions.some(({ team_ids }) => team_ids === null),
  });
