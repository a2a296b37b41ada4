import { isInOrganization, isInteractive, isOnObject } from '../../caller/access.ts';
import type { Access } from '../../caller/access.ts';
import type { Principal } from '../../caller/principal.ts';
import { decisionAgainstUse } from '../../decision-log/decision-log.ts';
import type { Denial, MadeDecision } from '../../decision-log/decision-log.ts';
import { NOT_IN_TEAM } from '../../caller/refusals.ts';
import { isRefusal } from '../../platform/errors/refusal.ts';
import type { Refusal } from '../../platform/errors/refusal.ts';
import { isUuid } from '../../platform/ids.ts';
import { NO_ACCESS, permissionName } from './access.ts';
import type { GrantName } from './access.ts';

export interface DecisionRecordsDependencies {
  grantName: GrantName;
  recordDecision(decision: MadeDecision): void;
}

/** A request that was decided on. */
export interface DecidedRequest {
  caller: Principal | null;
  access: Access;
  /** Undefined if the path contains an invalid id. */
  params: unknown;
  request_id: string;
  /** Whether OpenFGA was not called. */
  cached: boolean | null;
}

/** Records what was decided on requests; nothing is decided for routes that require no permission. */
export function createDecisionRecords({ grantName, recordDecision }: DecisionRecordsDependencies) {
  /** Errors that were recorded: an error of a decision also ends the handling of its request. */
  const recorded = new WeakSet<object>();

  function record(
    { caller, access, params, request_id, cached }: DecidedRequest,
    denial: Denial | null,
    action = actionOf(access, grantName),
  ) {
    if (caller === null || action === null) return;
    const { organization_id, team_id } = idsIn(params);
    recordDecision({
      ...{ caller, request_id, action, denial, cached },
      organization_id: organization_id ?? null,
      team_id: team_id ?? null,
    });
  }

  return {
    /** Records that a credential was used from where, or when, it does not work. */
    refused({ access, request_id }: Pick<DecidedRequest, 'access' | 'request_id'>, error: unknown) {
      const action = actionOf(access, grantName) ?? undefined;
      const decision = decisionAgainstUse(error, { request_id, action });
      if (decision !== null) recordDecision(decision);
    },
    /** Records the decision that threw this error; an outage decides nothing. */
    denied(request: DecidedRequest, error: unknown) {
      const denial = request.caller && denialOf(request, request.caller, error);
      if (denial === null) return;
      record(request, denial);
      recorded.add(error as Refusal);
    },
    /**
     * Records the decision on a request that was handled. Some handlers decide on more than the
     * route requires: then that counts.
     */
    handled(request: DecidedRequest, error: unknown) {
      if (!isRefusal(error)) return record(request, null);
      if (recorded.has(error)) return;
      if (error.reason === NOT_IN_TEAM)
        return record(request, { layer: 'absent', reason: 'not_in_team' });
      const { permission } = (error.detail ?? {}) as { permission?: string };
      record(request, byCode[error.code] ?? null, permission);
    },
  };
}

/** Returns the permission that a route requires; null if it requires none. */
function actionOf(access: Access, grantName: GrantName): string | null {
  if (isOnObject(access) || isInOrganization(access)) {
    const { permission } = access;
    const on = isOnObject(access) ? access.on : access.interactive;
    const name = permissionName(grantName, on, permission);
    return name === permission ? `can_${permission}` : name;
  }
  return isInteractive(access) && access.interactive !== 'ownership'
    ? `can_${access.interactive}`
    : null;
}

const byCode: Readonly<Record<string, Denial>> = {
  permission_denied: { layer: 'capability', reason: 'permission_missing' },
  insufficient_scope: { layer: 'credential', reason: 'insufficient_scope' },
  interactive_only: { layer: 'credential', reason: 'interactive_only' },
  organization_suspended: { layer: 'organization', reason: 'organization_suspended' },
};

/** Returns why access was denied; null if the error says nothing about access. */
function denialOf({ access, params }: DecidedRequest, caller: Principal, error: unknown) {
  if (!isRefusal(error)) return null;
  if (error.kind === 'forbidden') return byCode[error.code] ?? byCode['permission_denied']!;
  if (error.kind !== 'absent' && error.kind !== 'unauthenticated') return null;
  return { layer: 'absent', reason: whyAbsent({ access, params }, caller, error.reason) } as const;
}

function whyAbsent(
  { access, params }: Pick<DecidedRequest, 'access' | 'params'>,
  { organization }: Principal,
  reason: string | undefined,
): Denial['reason'] {
  if (params === undefined) return 'not_found';
  const isPersonal = isOnObject(access) && access.on === 'account';
  if (!isPersonal && organization?.id !== idsIn(params).organization_id) return 'not_a_member';
  return isPersonal || reason === NO_ACCESS ? 'not_visible' : 'not_found';
}

/** Returns the ids of the organization and the team that a path names. */
function idsIn(params: unknown): { organization_id?: string; team_id?: string } {
  const ids = (params ?? {}) as { organization_id?: string; team_id?: string };
  const isIn = (id: string | undefined) => id !== undefined && isUuid(id);
  return {
    ...(isIn(ids.organization_id) ? { organization_id: ids.organization_id! } : {}),
    ...(isIn(ids.team_id) ? { team_id: ids.team_id! } : {}),
  };
}
