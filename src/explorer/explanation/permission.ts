import type { ObjectCaller, Tuple } from '../../authz/authz.ts';
import { MANAGES_EVERY_TEAM } from '../../authz/permissions.ts';
import { contextIn, teamSeatIn } from '../../caller/access.ts';
import type { ErrorCode } from '../../platform/errors/error-codes.ts';
import type { Found, Look } from '../look.ts';
import type { NamedPermission } from '../permissions/named.ts';
import type { SubjectRow } from '../subjects/store.ts';

/** A step of an explanation, before its tuples are looked up in the audit log. */
export interface DraftStep {
  rule: string;
  passed: boolean;
  /** What the caller meets if it fails. */
  reason: string;
  tuples: readonly Tuple[];
  row: Record<string, unknown> | null;
  check: Tuple | null;
}

interface AskedRelation {
  rule: string;
  reason: ErrorCode;
  /** One of these must hold. */
  checks: readonly { relation: string; object: string }[];
  /** A state of rows that must hold too. */
  also?: { passed: boolean; row: Record<string, unknown> };
}

/**
 * Returns the steps in which a request for a permission is decided, in their order: the rows, that the
 * subject may know of the organization and the team, what its token has, and the permission itself.
 */
export async function permissionSteps(
  look: Look,
  { row, found }: { row: SubjectRow; found: Found },
  { permission, team_id }: { permission: NamedPermission; team_id: string | null },
): Promise<DraftStep[]> {
  const { principal } = found;
  return [
    ...rowSteps(row, found),
    ...(await relationSteps(
      look,
      principal,
      relationsOf(look, principal, { permission, team_id }),
    )),
    ...scopeSteps(look, principal, { permission, team_id }),
  ];
}

/** Returns the steps about the rows of a subject. */
function rowSteps(row: SubjectRow, { credential, principal }: Found): DraftStep[] {
  const status = principal.organization?.status ?? null;
  const isMember = principal.organization !== null;
  return [
    ...(credential === null
      ? []
      : [
          rowStep('credential_usable', credential.usable, 'invalid_credential', {
            ...{ kind: row.kind, id: row.id, usable: credential.usable },
          }),
        ]),
    rowStep('member', isMember, 'not_found', { account_id: row.account_id, is_member: isMember }),
    rowStep('organization_active', status !== 'suspended', 'organization_suspended', { status }),
  ];
}

const rowStep = (
  rule: string,
  passed: boolean,
  reason: ErrorCode,
  row: Record<string, unknown>,
): DraftStep => ({ rule, passed, reason, row, tuples: [], check: null });

/** The relations that decide, as `createDecideOnObject` asks for them. */
function relationsOf(
  { organization_id }: Look,
  principal: ObjectCaller,
  { permission, team_id }: { permission: NamedPermission; team_id: string | null },
): AskedRelation[] {
  const home = contextIn('organization', principal, { organization_id });
  if (home === null) return [];
  const seen: AskedRelation = {
    ...{ rule: 'can_see', reason: 'not_found' },
    checks: [{ relation: 'can_see', object: home }],
  };
  const relation = `can_${permission.relation}`;
  if (team_id === null)
    return [
      seen,
      { rule: relation, reason: 'permission_denied', checks: [{ relation, object: home }] },
    ];
  const seat = teamSeatIn(principal, { team_id })!;
  const isPerson = principal.credential.kind === 'session';
  const manages = { relation: MANAGES_EVERY_TEAM, object: home };
  return [
    seen,
    ...(isPerson
      ? []
      : [
          {
            ...{ rule: 'active', reason: 'not_found' as const },
            checks: [{ relation: 'active', object: seat }],
          },
        ]),
    {
      ...{ rule: relation, reason: 'permission_denied' },
      checks: [{ relation, object: seat }, ...(isPerson ? [manages] : [])],
    },
  ];
}

async function relationSteps(
  look: Look,
  principal: ObjectCaller,
  asked: readonly AskedRelation[],
): Promise<DraftStep[]> {
  const steps: DraftStep[] = [];
  for (const { rule, reason, checks } of asked) {
    const answers = await look.checkEach(principal, checks);
    const holding = checks.findIndex((_, index) => answers[index]);
    const shown = checks[Math.max(0, holding)]!;
    steps.push({
      ...{ rule, reason, row: null, passed: holding >= 0 },
      tuples: await look.tuplesOf(principal, shown.relation, shown.object),
      check: { user: principal.subject, ...shown },
    });
  }
  return steps;
}

/** Returns the step about an access token's scope, for connections alone. */
function scopeSteps(
  look: Look,
  principal: ObjectCaller,
  { permission, team_id }: { permission: NamedPermission; team_id: string | null },
): DraftStep[] {
  if (!('oauth' in principal)) return [];
  const { organization_id } = look;
  const object =
    team_id === null
      ? contextIn('organization', principal, { organization_id })
      : teamSeatIn(principal, { team_id });
  if (object === null) return [];
  const missing = look.missingScope(principal, { object, relation: `can_${permission.relation}` });
  return [
    rowStep('token_scope', missing === null, 'insufficient_scope', { missing_scope: missing }),
  ];
}
