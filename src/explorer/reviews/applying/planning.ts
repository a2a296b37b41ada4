import { isSession } from '../../../caller/principal.ts';
import type { SessionPrincipal } from '../../../caller/principal.ts';
import { unprocessable } from '../../../platform/errors/refusal.ts';
import type { Database } from '../../../platform/postgres/database.ts';
import { listSubjects } from '../../subjects/store.ts';
import type { UnusedAuthority } from '../../unused/schema.ts';
import { listEntries } from '../entries-store.ts';
import type { EntryRow } from '../entries-store.ts';
import { nameOf } from '../revisions.ts';
import type { Review, ReviewParams } from '../schema.ts';
import { reducingOf } from './reducing.ts';
import type { Reducing } from './reducing.ts';
import { revokingOf } from './revoking.ts';
import type { Making } from './revoking.ts';
import type { ByHandReason, ReviewApply } from './schema.ts';

export interface PlanningDependencies {
  database: Pick<Database, 'pool'>;
  /** Returns what each credential has not used for some days, by its id. */
  unusedOf(organization_id: string, days: number): Promise<ReadonlyMap<string, UnusedAuthority>>;
  /** Throws 404 for a review that does not exist. */
  get(params: ReviewParams): Promise<Review>;
}

const MAX_CHANGES = 5_000;

/** What a decision amounts to now. */
export type Plan =
  | { made: 'revoke'; entry: EntryRow; making: Making }
  | { made: 'reduce'; entry: EntryRow; reducing: Reducing; unused: UnusedAuthority }
  | { made: 'unchanged'; entry: EntryRow }
  | { made: 'by_hand'; entry: EntryRow; reason: ByHandReason };

/** Creates the function that finds what the decisions of a review amount to now. */
export function createPlanning({ database: { pool }, unusedOf, get }: PlanningDependencies) {
  async function decidedIn(params: ReviewParams): Promise<EntryRow[]> {
    const page = { limit: MAX_CHANGES + 1, after: null };
    const reduce = await listEntries(pool, params, { decision: 'reduce' }, page);
    const revoke = await listEntries(pool, params, { decision: 'revoke' }, page);
    if (reduce.length + revoke.length > MAX_CHANGES) throw tooMany();
    // Members are the last: what they remove includes their credentials, which have their own entries.
    const isMember = ({ kind }: EntryRow) => Number(kind === 'member');
    return [...reduce, ...revoke].toSorted(
      (one, other) => isMember(one) - isMember(other) || one.position - other.position,
    );
  }

  return async function planAll(
    params: ReviewParams,
    { unused_days }: ReviewApply,
    caller: SessionPrincipal,
  ): Promise<Plan[]> {
    const { organization_id } = params;
    await get(params);
    const entries = await decidedIn(params);
    const live = new Set((await listSubjects(pool, organization_id)).map(nameOf));
    const unused = await unusedOf(organization_id, unused_days);
    return entries.map((entry): Plan => {
      if (!live.has(nameOf({ kind: entry.kind, id: entry.subject_id })))
        return { made: 'unchanged', entry };
      if (entry.decision === 'revoke') {
        const isSelf = isSession(caller) && caller.person === entry.subject_id;
        if (isSelf) return { made: 'by_hand', entry, reason: 'own_membership' };
        return { made: 'revoke', entry, making: revokingOf(organization_id, entry) };
      }
      const carried = unused.get(entry.subject_id);
      const reducing = reducingOf(organization_id, entry, { caller, unused: carried });
      return typeof reducing === 'string'
        ? { made: 'by_hand', entry, reason: reducing }
        : { made: 'reduce', entry, reducing, unused: carried! };
    });
  };
}

const tooMany = () =>
  unprocessable('limit_reached', `At most ${MAX_CHANGES} decisions can be applied at once.`);
