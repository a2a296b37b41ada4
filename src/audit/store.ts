import { sql } from '../platform/database.ts';
import type { Connection } from '../platform/database.ts';
import { sweepInBatches } from '../platform/sweep.ts';
import type { AuditEntry } from './audit.ts';

export async function insertEvent(
  connection: Connection,
  id: string,
  entry: AuditEntry,
): Promise<void> {
  const { actor, scope } = entry;
  await connection.query(sql.unsafe`
    INSERT INTO audit_event (id, actor_kind, actor_id, request_id, address, action,
      scope_kind, scope_id, units, detail)
    VALUES (${id}, ${actor.kind}, ${actor.id}, ${actor.request_id}, ${actor.address},
      ${entry.action}, ${scope?.kind ?? null}, ${scope?.id ?? null},
      ${JSON.stringify(entry.units ?? [])}::jsonb,
      ${entry.detail === undefined ? null : JSON.stringify(entry.detail)}::jsonb)`);
}

/** Failed sign-ins of unknown addresses; the database lets nothing else of the audit go. */
export async function sweepEvents(connection: Connection): Promise<void> {
  await sweepInBatches((limit) =>
    connection.query(sql.unsafe`
      DELETE FROM audit_event WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM audit_event
        WHERE action = 'session.refuse' AND scope_id IS NULL AND at < now() - interval '90 days'
        ORDER BY at LIMIT ${limit} FOR UPDATE SKIP LOCKED))`),
  );
}
