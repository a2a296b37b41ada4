import { isSession } from '../../caller/principal.ts';
import type { Tuple } from '../../authz/authz.ts';
import type { Family } from '../../content/items/schema.ts';
import type { ExplainedStep } from '../../keys/keys.ts';
import { absent, unprocessable } from '../../platform/errors/refusal.ts';
import type { Asked } from '../dependencies.ts';
import type { EvidenceOf } from '../evidence/evidence.ts';
import type { Begin, ExplorerDependencies } from '../dependencies.ts';
import type { Look } from '../look.ts';
import { familyOf } from '../schema.ts';
import type { AccessExplanation, AccessQuestion, AccessStep, SubjectRef } from '../schema.ts';
import { permissionNamed } from '../permissions/named.ts';
import { listSubjects } from '../subjects/store.ts';
import type { SubjectRow } from '../subjects/store.ts';
import { permissionSteps } from './permission.ts';
import type { DraftStep } from './permission.ts';

interface ExplanationDependencies extends Pick<ExplorerDependencies, 'database' | 'keys'> {
  begin: Begin;
  evidenceOf: EvidenceOf;
  dashboardUrl: string;
}

/** Creates the answer to why a subject has, or lacks, a permission or an item. */
export function createExplanation(dependencies: ExplanationDependencies) {
  const { database, keys, begin, evidenceOf, dashboardUrl } = dependencies;

  async function requireRow(organization_id: string, { kind, id }: SubjectRef) {
    const rows = await listSubjects(database.pool, organization_id, { ids: [id] });
    const row = rows.find((one) => one.kind === kind);
    if (row === undefined) throw absent('no such member or live credential');
    return row;
  }

  async function ofPermission(look: Look, row: SubjectRow, question: AccessQuestion) {
    const permission = permissionNamed(question.permission!);
    if (permission === null)
      throw unprocessable('unknown_permission', 'must be a permission', PERMISSION);
    const team_id = question.team_id ?? null;
    if ((permission.on === 'team') !== (team_id !== null))
      throw unprocessable('unknown_team', NEEDS_TEAM[permission.on], TEAM);
    if (team_id !== null && !look.teams.has(team_id))
      throw unprocessable('unknown_team', 'must be a team of the organization', TEAM);
    const found = (await look.find([row])).get(row.id);
    if (found === undefined) throw absent('left concurrently');
    return permissionSteps(look, { row, found }, { permission, team_id });
  }

  async function ofItem(
    { caller, organization_id }: Asked,
    row: SubjectRow,
    question: AccessQuestion,
  ) {
    if (row.kind === 'member') throw absent('members use items by their credentials');
    const { family, id } = question.item!;
    const isOwn = isSession(caller) && row.account_id === caller.person;
    const owner = isOwn
      ? ({ kind: 'account', id: caller.person } as const)
      : ({ kind: 'organization', id: organization_id } as const);
    const isKnown = await keys.knownTo(caller, { owner, runs_in: organization_id });
    const { address } = question;
    const target = { family: familyOf[family], item: id, address };
    const steps = await keys.stepsOf(row.id, target, isKnown);
    const user = userOf(row);
    return steps.map((one) => draftOf(one, { user, family: target.family }));
  }

  return async function explain(
    asked: Asked,
    question: AccessQuestion,
  ): Promise<AccessExplanation> {
    const { organization_id } = asked;
    const row = await requireRow(organization_id, question.subject);
    const look = await begin(organization_id);
    const drafts = question.item
      ? await ofItem(asked, row, question)
      : await ofPermission(look, row, question);
    // Nobody granted what is missing.
    const granted = drafts.map(({ passed, tuples }) => (passed ? tuples : []));
    const evidence = await evidenceOf(organization_id, granted);
    const { as_of, model_id } = look;
    return {
      allowed: drafts.every(({ passed }) => passed),
      steps: drafts.map((draft, index): AccessStep => ({
        rule: draft.rule,
        outcome: draft.passed ? 'passed' : 'failed',
        reason: draft.passed ? null : draft.reason,
        code: draft.passed ? null : draft.code,
        evidence: [
          ...(draft.passed ? evidence[index]! : draft.tuples.map(missingTuple)),
          ...(draft.row === null ? [] : [{ row: draft.row }]),
        ],
        check: draft.check,
        change_url: dashboardUrl + pageOf(organization_id, row, draft),
      })),
      ...{ as_of, model_id },
    };
  };
}

/** A tuple that would have to be there; nobody granted it. */
const missingTuple = ({ user: subject, relation, object }: Tuple) => ({
  ...{ subject, relation, object, granted_by: null, granted_at: null },
});

const PERMISSION = { detail: { pointer: '/permission' } };
const TEAM = { detail: { pointer: '/team_id' } };
const NEEDS_TEAM = {
  team: 'must name a team: the permission is held in teams',
  organization: 'must be omitted: the permission is held in the organization',
};

/** The user of a credential's checks. */
const userOf = ({ kind, id }: SubjectRow): string => `${USERS[kind]}:${id}`;
const USERS = {
  ...{ member: 'user', key: 'api_key', organization_key: 'org_key' },
  ...{ connection: 'connection', client: 'machine' },
} as const;

/** Converts a step of the explanation of an item. */
function draftOf(
  explained: ExplainedStep,
  { user, family }: { user: string; family: Family },
): DraftStep {
  const { rule, outcome, evidence, check } = explained;
  const { path, missing, ...row } = evidence as { path?: Tuple[]; missing?: Tuple[] };
  return {
    rule,
    passed: outcome === 'allow',
    ...denialOf(explained, family),
    tuples: path ?? missing ?? [],
    row: Object.keys(row).length === 0 ? null : row,
    check: check ? { user, relation: check.relation, object: check.object } : null,
  };
}

/** Returns why a rule about an item denies, and what the MCP caller meets. */
function denialOf({ rule, reason, as }: ExplainedStep, family: Family) {
  if (reason === undefined || as === undefined) return DENIALS[rule] ?? LIMITED;
  if (reason === 'not_connected') return { reason, code: 'not_found' };
  // What a prompt or resource needs is not revealed: it is reported as missing.
  const isRead = family === 'prompt' || family === 'resource';
  return { reason, code: isRead ? CODES.absent : CODES[as] };
}

const CODES = {
  absent: 'method_not_found',
  not_permitted: 'tool_not_permitted',
  capability: 'capability_denied',
} as const;
const LIMITED = { reason: 'rate_limited', code: 'rate_limited' };
const DENIALS: Readonly<Record<string, typeof LIMITED>> = {
  usable: { reason: 'invalid_credential', code: 'invalid_credential' },
  address_allowed: { reason: 'address_not_allowed', code: 'invalid_credential' },
  within_hours: { reason: 'outside_hours', code: 'invalid_credential' },
  organization_active: { reason: 'organization_suspended', code: 'organization_suspended' },
  exists: { reason: 'not_found', code: 'method_not_found' },
};

/** Returns the page of the dashboard where what a step rests on can be changed. */
function pageOf(organization_id: string, row: SubjectRow, { rule }: DraftStep): string {
  const area = `/app/org/${organization_id}`;
  if (rule === 'selected') return `${area}/mcp`;
  if (rule === 'exposed' || rule === 'active') return `${area}/teams`;
  if (row.kind === 'organization_key') return `${area}/keys/${row.id}`;
  if (row.kind === 'client') return `${area}/clients`;
  return `${area}/members`;
}
