import type { QuotaOwner } from '../caller/principal.ts';
import type { Plans } from '../platform/config/plans.ts';
import type { CallFacts, LedgerEntry } from './ledger/row.ts';
import type { CallKind } from './schema.ts';

export type Window = 'minute' | 'hour' | 'day' | 'month';

/** A session of the 2025 era, checked and touched by the admission script in passing. */
export interface SessionTouch {
  /** `mcp:{account:<id>}:s:<sid>`, before the prefix of all keys. */
  key: string;
  /** The credential the session is bound to. */
  credential: string;
  /** The MCP-Protocol-Version header; null when none was sent. */
  version: string | null;
  lifetime_seconds: number;
}

/** `unknown`: Redis is away. Null: no session was asked about. */
export type SessionState =
  | { status: 'live'; version: string }
  | { status: 'gone' }
  | { status: 'version_mismatch' }
  | { status: 'unknown' }
  | null;

/** One call. Its id is the ledger's, new for each call and a UUID. */
export interface CountedCall {
  quota_owner: QuotaOwner;
  kind: CallKind;
  call_id: string;
  session?: SessionTouch;
}

/** One call that asks to be admitted. */
export interface AdmissionRequest extends CountedCall {
  facts: CallFacts;
}

export interface Admitted {
  session: SessionState;
  admitted: true;
  /** The one it counted in; null when it costs no quota. */
  month: string | null;
  /** Its row in the ledger, where it costs quota and once it is there. */
  entry?: LedgerEntry;
}

export type Admission =
  | Admitted
  | {
      session: SessionState;
      admitted: false;
      window: Window;
      limit: number;
      retry_after_seconds: number;
    }
  /** The session is not live: nothing was counted. */
  | { session: SessionState; admitted: false; window: null };

/** The limits that hold for one kind of call; null: that window does not hold. */
export type Allowance = Readonly<Record<Window, number | null>>;

/** System calls count in the windows of tool calls and not in the month; reads stand alone. */
export function allowanceOf(plans: Plans, owner: QuotaOwner, kind: CallKind): Allowance {
  const plan = plans[owner.plan];
  if (kind === 'content_read')
    return { minute: plan.content_reads.minute, hour: null, day: null, month: null };
  return kind === 'system_call' ? { ...plan.tool_calls, month: null } : plan.tool_calls;
}

/** The hash tag of every key of an owner, so that one script runs in one slot. */
export const ownerTag = (owner: Pick<QuotaOwner, 'kind' | 'id'>): string =>
  `{${owner.kind}:${owner.id}}`;
