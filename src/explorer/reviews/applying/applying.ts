import { authorityOf } from '../../../caller/actor.ts';
import { isSession } from '../../../caller/principal.ts';
import type { SessionPrincipal } from '../../../caller/principal.ts';
import type { Progress } from '../../../caller/progress.ts';
import { permissionDenied } from '../../../caller/refusals.ts';
import type { NamedRequest, RequestFacts, SendRequest } from '../../../caller/route.ts';
import { requestedBy } from '../../../authz/authz.ts';
import type { Authz } from '../../../authz/authz.ts';
import type { KeyRecord } from '../../../keys/schema.ts';
import type { Organizations } from '../../../organizations/organizations.ts';
import { isRefusal, unprocessable } from '../../../platform/errors/refusal.ts';
import type { Database } from '../../../platform/postgres/database.ts';
import { listSubjects } from '../../subjects/store.ts';
import type { UnusedAuthority } from '../../unused/schema.ts';
import { listEntries } from '../entries-store.ts';
import type { EntryRow } from '../entries-store.ts';
import { recordOf } from '../record.ts';
import { nameOf } from '../revisions.ts';
import type { Review, ReviewParams } from '../schema.ts';
import { byHandPage } from './by-hand-page.ts';
import { reducingOf, withoutUnused } from './reducing.ts';
import type { Reducing } from './reducing.ts';
import { revokingOf } from './revoking.ts';
import type { Making } from './revoking.ts';
import type { AppliedDecision, ByHandReason, ReviewApplication, ReviewApply } from './schema.ts';

export interface ApplyingDependencies {
  database: Pick<Database, 'pool'>;
  authz: Pick<Authz, 'edit'>;
  organizations: Pick<Organizations, 'captured'>;
  dashboardUrl: string;
  /** Returns what each credential has not used for some days, by its id. */
  unusedOf(organization_id: string, days: number): Promise<ReadonlyMap<string, UnusedAuthority>>;
  /** Throws 404 for a review that does not exist. */
  get(params: ReviewParams): Promise<Review>;
}

/** Who applies a review, and how: each change is a request of their own. */
export interface ApplySender {
  caller: SessionPrincipal;
  request: RequestFacts;
  progress: Progress;
  send: SendRequest;
  mayRequest(request: NamedRequest): Promise<boolean>;
}

const MAX_CHANGES = 5_000;

/** What a decision amounts to now. */
type Plan =
  | { made: 'revoke'; entry: EntryRow; making: Making }
  | { made: 'reduce'; entry: EntryRow; reducing: Reducing; unused: UnusedAuthority }
  | { made: 'unchanged'; entry: EntryRow }
  | { made: 'by_hand'; entry: EntryRow; reason: ByHandReason };

/** Creates the operations that make the changes that were decided on in a review. */
export function createApplying(dependencies: ApplyingDependencies) {
  const { database, authz, organizations, dashboardUrl } = dependencies;
  const planAll = createPlanning(dependencies);

  /** Returns why the sender may not make a change; null if nothing is known against it. */
  async function problemOf(plan: Plan, { caller, request, mayRequest }: ApplySender) {
    if (plan.made === 'unchanged' || plan.made === 'by_hand') return null;
    const { permission, ...making } = plan.made === 'revoke' ? plan.making : plan.reducing.change;
    if (!(await mayRequest(making))) return permissionDenied(permission);
    if (plan.entry.kind !== 'member') return null;
    // Anybody may leave, so that the access of the route says little about removing somebody.
    const params = making.params as { organization_id: string; account_id: string };
    const remove = () => organizations.captured.members.remove(caller, params, request);
    return requestedBy(remove).then(
      () => null,
      (error: unknown) => error,
    );
  }

  async function make(plan: Plan, organization_id: string, { send }: ApplySender): Promise<void> {
    if (plan.made === 'revoke') await send(plan.making);
    if (plan.made !== 'reduce') return;
    const { read, change } = plan.reducing;
    const key = (await send(read)) as KeyRecord;
    await send({ ...change, body: withoutUnused(key, organization_id, plan.unused) });
  }

  const describe = (plan: Plan, organization_id: string, error: unknown, done: Done) => {
    const { entry, made } = plan;
    const page = byHandPage(organization_id, entry);
    return {
      ...{ entry_id: entry.id, subject: recordOf(entry).subject },
      decision: entry.decision as AppliedDecision['decision'],
      operation_id: operationOf(plan),
      removed:
        made === 'reduce'
          ? { permissions: plan.unused.permissions, capabilities: plan.unused.capabilities }
          : null,
      ...outcomeOf(plan, error, done),
      page: made === 'by_hand' || error !== null ? dashboardUrl + page : null,
    };
  };

  async function preview(
    params: ReviewParams,
    body: ReviewApply,
    sender: ApplySender,
  ): Promise<ReviewApplication> {
    const data: AppliedDecision[] = [];
    for (const plan of await planAll(params, body, sender.caller)) {
      const problem = await problemOf(plan, sender);
      data.push(describe(plan, params.organization_id, problem, 'planned'));
    }
    return counted(data);
  }

  /** Says in the audit log that the changes which follow were decided on in this review. */
  async function record(
    { organization_id, review_id }: ReviewParams,
    plans: readonly Plan[],
    { caller, request }: ApplySender,
  ): Promise<void> {
    const count = (made: Plan['made']) => plans.filter((plan) => plan.made === made).length;
    const detail = { revoke: count('revoke'), reduce: count('reduce') };
    if (detail.revoke + detail.reduce === 0) return;
    await authz.edit({
      ...authorityOf(caller, request),
      reason: 'access_review.apply',
      writes: [{ kind: 'organization', id: organization_id }],
      targets: [{ type: 'access_review', id: review_id }],
      work: async () => {},
      detail: () => detail,
    });
  }

  /** Makes every change by itself: one that is refused keeps no other from being made. */
  async function apply(
    params: ReviewParams,
    body: ReviewApply,
    sender: ApplySender,
  ): Promise<ReviewApplication> {
    const { organization_id } = params;
    const { progress } = sender;
    const plans = await planAll(params, body, sender.caller);
    await record(params, plans, sender);
    const data: AppliedDecision[] = [];
    for (const plan of plans) {
      progress.signal.throwIfAborted();
      progress.report(data.length, plans.length);
      const problem = await make(plan, organization_id, sender).then(
        () => null,
        (error: unknown) => error,
      );
      data.push(describe(plan, organization_id, problem, 'applied'));
    }
    return counted(data);
  }

  return { preview, apply };
}
export type Applying = ReturnType<typeof createApplying>;

/** Creates the function that finds what the decisions of a review amount to now. */
function createPlanning({ database: { pool }, unusedOf, get }: ApplyingDependencies) {
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

type Done = 'planned' | 'applied';

function operationOf(plan: Plan): string | null {
  if (plan.made === 'revoke') return plan.making.operation_id;
  return plan.made === 'reduce' ? plan.reducing.change.operation_id : null;
}

/** Returns what became of a plan; throws what is no refusal. */
function outcomeOf(
  plan: Plan,
  error: unknown,
  done: Done,
): Pick<AppliedDecision, 'outcome' | 'reason' | 'error'> {
  if (plan.made === 'by_hand') return { outcome: 'by_hand', reason: plan.reason, error: null };
  if (plan.made === 'unchanged') return { outcome: 'unchanged', reason: null, error: null };
  if (error === null) return { outcome: done, reason: null, error: null };
  if (!isRefusal(error)) throw error;
  // Deleted since the plan was made.
  if (error.kind === 'absent') return { outcome: 'unchanged', reason: null, error: null };
  const { code, message, detail } = error.problems[0]!;
  return { outcome: 'refused', reason: null, error: { code, message, detail: detail ?? null } };
}

function counted(changes: AppliedDecision[]): ReviewApplication {
  const counts = { planned: 0, applied: 0, unchanged: 0, refused: 0, by_hand: 0 };
  for (const { outcome } of changes) counts[outcome] += 1;
  return { changes, counts };
}

const tooMany = () =>
  unprocessable('limit_reached', `At most ${MAX_CHANGES} decisions can be applied at once.`);
