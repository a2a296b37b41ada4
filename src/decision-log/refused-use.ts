import type { AgentPrincipal } from '../caller/principal.ts';
import { refusedUseOf } from '../caller/restrictions/refused-use.ts';
import type { MadeDecision } from './row.ts';

/** What every use of a credential requires, wherever it is used. */
const CONNECT = 'can_connect';

/**
 * Returns the decision against a use from where, or when, a credential does not work; null if the
 * error is about anything else.
 */
export function decisionAgainstUse(
  error: unknown,
  { request_id, action = CONNECT }: { request_id: string; action?: string | undefined },
): MadeDecision | null {
  const use = refusedUseOf(error);
  if (use === null) return null;
  const { caller, reason } = use;
  return {
    ...{ caller, request_id, action, organization_id: organizationOf(caller), team_id: null },
    denial: { layer: 'credential', reason },
    cached: null,
  };
}

const organizationOf = ({ organization }: AgentPrincipal): string | null =>
  organization?.id ?? null;
