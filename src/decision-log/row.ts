import type { Principal } from '../caller/principal.ts';
import type { Family } from '../content/items/schema.ts';
import type { DecisionLayer, DecisionReason, SubjectKind } from './schema.ts';

/** Why access was denied. */
export interface Denial {
  layer: DecisionLayer;
  reason: DecisionReason;
}

/** An item to be used; `item` is null if there is none with the name that was sent. */
export interface ItemAction {
  family: Family;
  item: { id: string; name: string; space_id?: string | null } | null;
}

/** A decision that was made. */
export interface MadeDecision {
  caller: Principal;
  /** The `X-Request-Id` of the response. */
  request_id: string;
  /** The organization that the decision is about, as the request names it; null for an account. */
  organization_id: string | null;
  /** A permission, named as in grants, or an item. */
  action: string | ItemAction;
  /** The team that the path of the request names. */
  team_id: string | null;
  /** Null if access was allowed. */
  denial: Denial | null;
  /** Whether OpenFGA was not called for it; null if unknown. */
  cached: boolean | null;
}

/** A decision as it is sent to PostgreSQL. */
export interface DecisionRow {
  id: string;
  /** When it was made, in the time of `performance.now()`. */
  made: number;
  organization_id: string | null;
  /** Whether the subject belongs to that organization. */
  is_inside: boolean;
  account_id: string | null;
  /** The organization of a subject that acts for no person. */
  home_id: string | null;
  request_id: string;
  subject_kind: SubjectKind;
  subject_id: string;
  family: Family | null;
  action: string | null;
  item_id: string | null;
  /** Space of a user-defined item. */
  space_id: string | null;
  team_id: string | null;
  layer: DecisionLayer | null;
  reason: DecisionReason | null;
  cached: boolean | null;
  sampled: number;
}

/** Builds the row of a decision, which stands for `sampled` decisions. */
export function rowOf(decision: MadeDecision, id: string, sampled: number): DecisionRow {
  const { caller, organization_id, action, denial } = decision;
  const isItem = typeof action !== 'string';
  const item = isItem ? action.item : null;
  const [subject_kind, subject_id] = subjectOf(caller);
  return {
    id,
    made: performance.now(),
    organization_id,
    is_inside: organization_id !== null && caller.organization?.id === organization_id,
    account_id: caller.person,
    home_id: caller.person === null ? caller.quota_owner.id : null,
    request_id: decision.request_id,
    subject_kind,
    subject_id,
    family: isItem ? action.family : null,
    action: isItem ? (item?.name ?? null) : action,
    item_id: item?.id ?? null,
    space_id: item?.space_id ?? null,
    team_id: decision.team_id,
    layer: denial?.layer ?? null,
    reason: denial?.reason ?? null,
    cached: decision.cached,
    sampled,
  };
}

/** A connection that acts for no person is a client, as in the access explorer. */
function subjectOf(caller: Principal): [SubjectKind, string] {
  const { id, kind } = caller.credential;
  if (kind === 'session') return ['member', caller.person!];
  if (kind === 'api_key') return ['key', id];
  if (kind === 'org_key') return ['organization_key', id];
  if (kind === 'connection') return ['connection', id];
  return ['client', id];
}
