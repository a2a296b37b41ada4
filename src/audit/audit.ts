import type { Actor } from '../caller/actor.ts';
import type { ScopeRef } from '../caller/caller.ts';
import type { Connection } from '../platform/database.ts';
import { newId } from '../platform/ids.ts';
import { insertEvent, sweepEvents } from './store.ts';

export interface AuditEntry {
  actor: Actor;
  /** `key.create`, `session.create` … */
  action: string;
  /** Whose history it belongs to; null where nobody could be named. */
  scope: ScopeRef | null;
  /** What it was done to. */
  units?: readonly { type: string; id: string }[];
  /** Never a secret, never an address somebody only typed. */
  detail?: Readonly<Record<string, unknown>>;
}

export interface Audit {
  /** Writes in the transaction of the change itself: no audit, no change. */
  record(transaction: Connection, entry: AuditEntry): Promise<void>;
  /** Failed sign-ins of unknown addresses are kept for 90 days, all else for ever. */
  sweep(connection: Connection): Promise<void>;
}

export function createAudit(): Audit {
  return {
    record: (transaction, entry) => insertEvent(transaction, newId(), entry),
    sweep: sweepEvents,
  };
}
