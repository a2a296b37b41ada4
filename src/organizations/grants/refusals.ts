import { missingScope } from '../../authz/authz.ts';
import { grantName } from '../../authz/permissions.ts';
import type { Principal } from '../../caller/principal.ts';
import { insufficientScope, permissionDenied } from '../../caller/refusals.ts';
import type { Problem, Refusal } from '../../platform/errors/refusal.ts';

const SEATS = { organization: 'membership', team: 'team_seat' } as const;

/** Builds the 403 for a permission that a caller lacks, or that an access token has no scope for. */
export function lacksPermission(
  caller: Pick<Principal, 'credential'>,
  on: keyof typeof SEATS,
  permission: string,
): Refusal {
  const name = grantName(on, permission) ?? permission;
  const scope = missingScope(caller, { object: `${SEATS[on]}:`, relation: `can_${permission}` });
  return scope === null ? permissionDenied(name) : insufficientScope(scope, name);
}

export const permissionNotHeld = (permission: string, pointer: string): Problem => ({
  code: 'permission_not_held',
  message: `You do not have \`${permission}\` here, so you cannot grant it.`,
  detail: { pointer, permission },
});
export const capabilityEscalation = (capability: string, pointer: string): Problem => ({
  code: 'capability_escalation',
  message: `You do not have the capability \`${capability}\` here, so you cannot grant it.`,
  detail: { pointer, capability },
});
