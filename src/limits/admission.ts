import type { QuotaOwner } from '../caller/principal.ts';
import type { Plans } from '../platform/config/plans.ts';
import type { CallFacts, LedgerEntry } from './ledger/row.ts';
import type { CallKind } from './schema.ts';

export type Window = 'minute' | 'hour' | 'day' | 'month';

/** A 2025 session, which the admission script also checks and extends. */
export interface SessionTouch {
  /** `mcp:{account:<id>}:s:<sid>`, without the global prefix. */
  key: string;
  /** The credential the session is bound to. */
  credential: string;
  /** The MCP-Protocol-Version header; null if none was sent. */
  version: string | null;
  lifetime_seconds: number;
}

/** `unknown`: Redis is unavailable. Null: the call has no session. */
export type SessionState =
  | { status: 'live'; version: string }
  | { status: 'gone' }
  | { status: 'version_mismatch' }
  | { status: 'unknown' }
  | null;

/** One call. Its id in the ledger is a UUID, new for each call. */
export interface CountedCall {
  quota_owner: QuotaOwner;
  kind: CallKind;
  call_id: string;
  session?: SessionTouch;
}

/** One call to be admitted. */
export interface AdmissionRequest extends CountedCall {
  facts: CallFacts;
}

export interface AdmittedCall {
  session: SessionState;
  admitted: true;
  /** The month in which it was counted; null if it costs no quota. */
  month: string | null;
  /** The call's ledger entry, if the call costs quota and the entry already exists. */
  entry?: LedgerEntry;
}

export type Admission =
  | AdmittedCall
  | {
      session: SessionState;
      admitted: false;
      window: Window;
      limit: number;
      retry_after_seconds: number;
    }
  /** The session is not live: nothing was counted. */
  | { session: SessionState; admitted: false; window: null };

/** The limits that apply to one kind of call; null: no limit in that window. */
export type Allowance = Readonly<Record<Window, number | null>>;

/** System calls count in the windows of tool calls but not in the month; reads count separately. */
export function allowanceOf(plans: Plans, owner: QuotaOwner, kind: CallKind): Allowance {
  const plan = plans[owner.plan];
  if (kind === 'content_read')
    return { minute: plan.content_reads.minute, hour: null, day: null, month: null };
  return kind === 'system_call' ? { ...plan.tool_calls, month: null } : plan.tool_calls;
}

/** Returns the hash tag of all keys of an owner, so that a script's keys are in one slot. */
export const ownerTag = (owner: Pick<QuotaOwner, 'kind' | 'id'>): string =>
  `{${owner.kind}:${owner.id}}`;
