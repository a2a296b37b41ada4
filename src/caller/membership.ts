import { sql } from '../platform/postgres/database.ts';

/** Whether `membership m`, which may be missing, has not ended. */
export const isMember = sql.fragment`(m.id IS NOT NULL AND m.left_at IS NULL)`;

/**
 * The address of `account a` as the organization of `membership m` may know it. A person who has left
 * may have changed it since, to one that the organization must not learn, unless it manages the account.
 */
export const knownAddress = sql.fragment`
  CASE WHEN ${isMember} OR a.managed_by = m.organization_id THEN a.email END`;
