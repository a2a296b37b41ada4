import type { ObjectCaller, Tuple } from '../../authz/authz.ts';
import { MANAGES_EVERY_TEAM } from '../../authz/permissions.ts';
import { contextIn, teamSeatIn } from '../../caller/access.ts';
import type { DecisionReason } from '../../decision-log/schema.ts';
import type { ErrorCode } from '../../platform/errors/error-codes.ts';
import type { Look } from '../look.ts';
import type { Found } from '../subjects/found.ts';
import type { NamedPermission } from '../permissions/named.ts';
import type { SubjectRow } from '../subjects/store.ts';

/** A step of an explanation, before its tuples are looked up in the audit log. */
export interface DraftStep {
  rule: string;
  passed: boolean;
  /** Why it denies, as the log of decisions names it. */
  reason: string;
  /** The error code that the caller meets if it is the first to fail. */
  code: string;
  tuples: readonly Tuple[];
  row: Record<string, unknown> | null;
  check: Tuple | null;
}

interface AskedRelation {
  rule: string;
  reason: DecisionReason;
  code: ErrorCode;
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
  const relations = relationsOf(look, principal, { permission, team_id });
  const steps = await relationSteps(look, principal, relations);
  return [
    ...rowSteps(row, found),
    ...steps.slice(0, -1),
    // A missing scope is what a token's caller meets, whatever the person holds.
    ...scopeSteps(look, principal, { permission, team_id }),
    ...steps.slice(-1),
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
          rowStep('credential_usable', credential.usable, UNUSABLE, {
            ...{ kind: row.kind, id: row.id, usable: credential.usable },
          }),
        ]),
    rowStep('member', isMember, NOT_A_MEMBER, { account_id: row.account_id, is_member: isMember }),
    rowStep('organization_active', status !== 'suspended', SUSPENDED, { status }),
  ];
}

interface Denial {
  reason: string;
  code: ErrorCode;
}
const UNUSABLE: Denial = { reason: 'invalid_credential', code: 'invalid_credential' };
const NOT_A_MEMBER: Denial = { reason: 'not_a_member', code: 'not_found' };
const SUSPENDED: Denial = { reason: 'organization_suspended', code: 'organization_suspended' };
const NO_SCOPE: Denial = { reason: 'insufficient_scope', code: 'insufficient_scope' };

const rowStep = (
  rule: string,
  passed: boolean,
  denial: Denial,
  row: Record<string, unknown>,
): DraftStep => ({ rule, passed, ...denial, row, tuples: [], check: null });

const DENIED = { reason: 'permission_missing', code: 'permission_denied' } as const;

/** The relations that decide, as `createDecideOnObject` asks for them. */
function relationsOf(
  { organization_id }: Look,
  principal: ObjectCaller,
  { permission, team_id }: { permission: NamedPermission; team_id: string | null },
): AskedRelation[] {
  const home = contextIn('organization', principal, { organization_id });
  if (home === null) return [];
  const seen: AskedRelation = {
    ...{ rule: 'can_see', reason: 'not_visible', code: 'not_found' },
    checks: [{ relation: 'can_see', object: home }],
  };
  const relation = `can_${permission.relation}`;
  if (team_id === null)
    return [seen, { rule: relation, ...DENIED, checks: [{ relation, object: home }] }];
  const seat = teamSeatIn(principal, { team_id })!;
  const isPerson = principal.credential.kind === 'session';
  const manages = { relation: MANAGES_EVERY_TEAM, object: home };
  return [
    seen,
    ...(isPerson
      ? []
      : [
          {
            ...({ rule: 'active', reason: 'not_in_team', code: 'not_found' } as const),
            checks: [{ relation: 'active', object: seat }],
          },
        ]),
    {
      ...{ rule: relation, ...DENIED },
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
  for (const { rule, reason, code, checks } of asked) {
    const answers = await look.checkEach(principal, checks);
    const holding = checks.findIndex((_, index) => answers[index]);
    const shown = checks[Math.max(0, holding)]!;
    steps.push({
      ...{ rule, reason, code, row: null, passed: holding >= 0 },
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
  return [rowStep('token_scope', missing === null, NO_SCOPE, { missing_scope: missing })];
}
