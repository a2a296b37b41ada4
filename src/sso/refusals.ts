import type { Principal } from '../caller/principal.ts';
import { unprocessable } from '../platform/errors/refusal.ts';

/** Throws 422 unless the plan of the caller's organization includes single sign-on. */
export function requirePlan({ organization }: Principal): void {
  if (organization?.plan === 'enterprise') return;
  throw unprocessable(
    'plan_required',
    'Single sign-on requires the Enterprise plan. Upgrade the organization first.',
  );
}
