import { z } from 'zod';
import type { Action } from '../../caller/actions.ts';
import { knownAddress } from '../../caller/membership.ts';
import { sql } from '../../platform/postgres/database.ts';
import type { Queryable } from '../../platform/postgres/database.ts';

/** A change to look for in the audit log. */
export interface SoughtChange {
  action: Action;
  /** Id of an object that it was made on. */
  target_id: string;
  /** The person whose own log may have it, for a person's credential. */
  account_id: string | null;
}

const ChangeRow = z.object({
  target_id: z.string(),
  at: z.string(),
  action: z.string(),
  actor_kind: z.string(),
  actor_id: z.string().nullable(),
  email: z.string().nullable(),
});
export type ChangeRow = z.infer<typeof ChangeRow>;

/** Returns the latest of each of the sought changes that were made in or for an organization. */
export const listLatestChanges = (
  db: Queryable,
  organization_id: string,
  sought: readonly SoughtChange[],
) =>
  db.any(sql.type(ChangeRow)`
    SELECT named.target_id, e.at, named.action, e.actor_kind, e.actor_id,
      (SELECT ${knownAddress} FROM account a LEFT JOIN membership m
        ON m.account_id = a.id AND m.organization_id = ${organization_id}
        WHERE a.id = e.actor_id) AS email
    FROM ${sql.unnest(
      sought.map(({ action, target_id, account_id }) => [action, target_id, account_id]),
      ['text', 'text', 'uuid'],
    )} AS named (action, target_id, account_id)
    CROSS JOIN LATERAL (
      SELECT found.* FROM (
        SELECT event_id, at FROM audit_target
        WHERE of_organization = ${organization_id} AND target_id = named.target_id
        UNION ALL
        SELECT event_id, at FROM audit_target
        WHERE of_account = named.account_id AND target_id = named.target_id
      ) AS t
      CROSS JOIN LATERAL (
        SELECT e.at, e.actor_kind, e.actor_id FROM audit_event e
        WHERE e.id = t.event_id AND e.action = named.action AND e.outcome = 'done'
      ) AS found
      ORDER BY found.at DESC LIMIT 1
    ) AS e`);
