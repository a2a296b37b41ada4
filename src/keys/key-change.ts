import type { Change } from '../authz/authz.ts';
import type { Connection } from '../platform/postgres/database.ts';
import type { Grant } from './schema.ts';

/** The fields that determine in which organizations and teams a key has tuples. */
export interface KeyVersion {
  org_scope?: string | null;
  grants?: readonly Grant[] | undefined;
  team_ids?: readonly string[] | null | undefined;
}

export type KeyChange = Pick<Change<unknown>, 'objects' | 'targets' | 'writes'> & {
  /** The scopes in the order in which a new key gets its tuples. */
  writesAtCreation: Change<unknown>['writes'];
  /** Scopes that a new key creates. */
  creates: NonNullable<Change<unknown>['creates']>;
  /** Throws `ConcurrentUpdate` if the key now has tuples that the change does not cover. */
  requireCovered(connection: Connection, now: KeyVersion): Promise<void>;
};
