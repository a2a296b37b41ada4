import { authorityOf } from '../../../caller/actor.ts';
import type { SessionPrincipal } from '../../../caller/principal.ts';
import type { Progress } from '../../../caller/progress.ts';
import { permissionDenied } from '../../../caller/refusals.ts';
import type { NamedRequest, RequestFacts, SendRequest } from '../../../caller/route.ts';
import { requestedBy } from '../../../authz/authz.ts';
import type { Authz } from '../../../authz/authz.ts';
import type { KeyRecord } from '../../../keys/schema.ts';
import type { Organizations } from '../../../organizations/organizations.ts';
import { isRefusal } from '../../../platform/errors/refusal.ts';
import { recordOf } from '../record.ts';
import type { ReviewParams } from '../schema.ts';
import { byHandPage } from './by-hand-page.ts';
import { createPlanning } from './planning.ts';
import type { Plan, PlanningDependencies } from './planning.ts';
import { withoutUnused } from '../../unused/without-unused.ts';
import type { AppliedDecision, ReviewApplication, ReviewApply } from './schema.ts';

export interface ApplyingDependencies extends PlanningDependencies {
  authz: Pick<Authz, 'edit'>;
  organizations: Pick<Organizations, 'captured'>;
  dashboardUrl: string;
}

/** Who applies a review, and how: each change is a request of their own. */
export interface ApplySender {
  caller: SessionPrincipal;
  request: RequestFacts;
  progress: Progress;
  send: SendRequest;
  mayRequest(request: NamedRequest): Promise<boolean>;
}

/** Creates the operations that make the changes that were decided on in a review. */
export function createApplying(dependencies: ApplyingDependencies) {
  const { authz, organizations, dashboardUrl } = dependencies;
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

  /** Makes every change by itself: one that is refused keeps no other from being made. */
  async function apply(
    params: ReviewParams,
    body: ReviewApply,
    sender: ApplySender,
  ): Promise<ReviewApplication> {
    const { organization_id } = params;
    const { progress } = sender;
    const plans = await planAll(params, body, sender.caller);
    await record(authz, params, plans, sender);
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

/** Makes the change of a plan, by requests of the sender. */
async function make(plan: Plan, organization_id: string, { send }: ApplySender): Promise<void> {
  if (plan.made === 'revoke') await send(plan.making);
  if (plan.made !== 'reduce') return;
  const { read, change } = plan.reducing;
  const key = (await send(read)) as KeyRecord;
  await send({ ...change, body: withoutUnused(key, organization_id, plan.unused) });
}

/** Says in the audit log that the changes which follow were decided on in this review. */
async function record(
  authz: ApplyingDependencies['authz'],
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
