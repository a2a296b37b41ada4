import type { QuotaOwner } from '../../caller/principal.ts';
import type { CallKind, CallLayer, CallOutcome } from '../schema.ts';

/** Who made a call, and to which item, as stored in the ledger. */
export interface CallFacts {
  /** The person the call was made for; null for a credential that acts for no person. */
  account_id: string | null;
  key_id: string | null;
  /** The kind of credential that `key_id` identifies. */
  credential_kind: 'api_key' | 'org_key' | 'connection' | 'machine' | null;
  /** Null if the call names no existing item. */
  item_id: string | null;
  item_name: string | null;
  /** Space of a user-defined item; null for a built-in one. */
  space_id: string | null;
  /** As sent, if the account records them; null otherwise. */
  arguments: string | null;
}

/** How a call ended; all null while it runs. */
export interface LedgerEnd {
  outcome: CallOutcome | null;
  layer: CallLayer | null;
  duration_ms: number | null;
}

/** A call as stored in the ledger. */
export interface LedgerRow extends CallFacts, LedgerEnd {
  call_id: string;
  /** The month's first day, UTC: `YYYY-MM-01`. */
  month: string;
  owner_kind: QuotaOwner['kind'];
  owner_id: string;
  kind: CallKind;
  counted: boolean;
  /** When it was made, if not now; ISO 8601. */
  at?: string;
}

/** Number of buffered calls of an owner in a month. */
export interface WaitingCount {
  calls: number;
}

/**
 * A waiting row and the count that includes it. The call references it until it ends, so that no
 * lookup by id is needed.
 */
export interface LedgerEntry {
  readonly row: LedgerRow;
  readonly count: WaitingCount | null;
  /** The row may be in PostgreSQL. */
  isSent: boolean;
}
