import type { QuotaOwner } from '../../caller/principal.ts';
import type { CallKind, CallLayer, CallOutcome } from '../schema.ts';

/** Whose call it is and of what, as the ledger keeps it. */
export interface CallFacts {
  account_id: string;
  key_id: string | null;
  /** Null: the call names nothing that is there. */
  item_id: string | null;
  item_name: string | null;
  /** As sent, for accounts that ask for it; null otherwise. */
  arguments: string | null;
}

/** How a call ended; nulls while it is admitted and runs. */
export interface LedgerEnd {
  outcome: CallOutcome | null;
  layer: CallLayer | null;
  duration_ms: number | null;
}

/** A call as the ledger keeps it. */
export interface LedgerRow extends CallFacts, LedgerEnd {
  call_id: string;
  /** Its first day, UTC: `YYYY-MM-01`. */
  month: string;
  owner_kind: QuotaOwner['kind'];
  owner_id: string;
  kind: CallKind;
  counted: boolean;
}

/** The calls of an owner in a month, in the buffer. */
export interface WaitingCount {
  calls: number;
}

/**
 * A row that waits and the count it is part of. Its call holds it until it ends, so that nothing is
 * looked up by an id.
 */
export interface LedgerEntry {
  readonly row: LedgerRow;
  readonly count: WaitingCount | null;
  /** It may be in PostgreSQL. */
  isSent: boolean;
}
