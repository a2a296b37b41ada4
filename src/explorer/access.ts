import type { ObjectCaller } from '../authz/authz.ts';
import { capabilities } from '../authz/permissions.ts';
import type { Capability } from '../authz/permissions.ts';
import { contextIn, teamSeatIn } from '../caller/access.ts';
import type { AgentPrincipal } from '../caller/principal.ts';
import { admittedView } from '../keys/keys.ts';
import { absent } from '../platform/errors/refusal.ts';
import { policiesOf } from '../policies/item-policies.ts';
import { nowhere } from '../visibility/visibility.ts';
import type { Asked, Begin, ExplorerDependencies } from './dependencies.ts';
import { createGroupAccess } from './group-access.ts';
import { createItems } from './items/shown.ts';
import type { Look } from './look.ts';
import type { SubjectAccess, SubjectRef } from './schema.ts';
import { candidateTeams, subjectOf } from './subjects/record.ts';
import { listSubjects } from './subjects/store.ts';
import type { SubjectRow } from './subjects/store.ts';

interface AccessDependencies extends ExplorerDependencies {
  begin: Begin;
  /** Whether lists of visible items are complete, however long. */
  isWhole?: boolean;
}

/** Creates the answers to what one subject may do and see. */
export function createSubjectAccess(dependencies: AccessDependencies) {
  const { database, begin } = dependencies;
  const { ofTeam, ofRole } = createGroupAccess(dependencies);
  const itemsIn = createItems(dependencies);

  async function requireSubject(
    organization_id: string,
    id: string,
    kinds: readonly SubjectRow['kind'][],
  ): Promise<SubjectRow> {
    const rows = await listSubjects(database.pool, organization_id, { ids: [id] });
    const row = rows.find(({ kind }) => kinds.includes(kind));
    if (row === undefined) throw absent('no such subject in the organization');
    return row;
  }

  /** A member may use what a credential of theirs could that follows all their teams. */
  async function ofMember(asked: Asked, account_id: string): Promise<SubjectAccess> {
    const row = await requireSubject(asked.organization_id, account_id, ['member']);
    const look = await begin(asked.organization_id);
    const member = (await look.find([row])).get(row.id);
    if (member === undefined) throw absent('left concurrently');
    const { principal } = member;
    const held = await heldCapabilities(look, principal, row);
    const { scopes, credential, person } = principal;
    const draft = await look.visibility.draftsIn({ scopes, credential, person, team_ids: null });
    const view = draft({ ...OPEN, mcp_capabilities: held });
    return {
      subject: subjectOf(row, look.teams),
      ...(await look.permissionsOf(principal, row)),
      capabilities: held,
      ...(await itemsIn(look, asked, { row, view })),
    };
  }

  async function ofCredential(
    asked: Asked,
    id: string,
    kinds: readonly SubjectRow['kind'][],
  ): Promise<SubjectAccess> {
    const row = await requireSubject(asked.organization_id, id, kinds);
    const look = await begin(asked.organization_id);
    const found = (await look.find([row])).get(id);
    if (found === undefined) throw absent('deleted concurrently');
    const { principal, agent, credential, isUsable } = found;
    const view = runsIn(agent!, asked.organization_id)
      ? await admittedView(credential!, look.visibility.fullView)
      : { ...nowhere, policies: policiesOf(agent!) };
    return {
      subject: subjectOf(row, look.teams),
      ...(isUsable ? await look.permissionsOf(principal, row) : NOTHING),
      capabilities: [...view.capabilities],
      ...(await itemsIn(look, asked, { row, view, tool_listing: agent!.tool_listing })),
    };
  }

  /** Returns what any subject has. */
  async function of(asked: Asked, { kind, id }: SubjectRef): Promise<SubjectAccess> {
    if (kind === 'member') return ofMember(asked, id);
    if (kind === 'role') return ofRole(asked, id);
    if (kind === 'team') return ofTeam(asked, id);
    return ofCredential(asked, id, [kind]);
  }

  return { requireSubject, of, ofMember, ofCredential, ofTeam, ofRole };
}

const NOTHING = { permissions: [], team_permissions: [] };
const ALL = { mode: 'all' } as const;
/** Policies that admit every item. */
export const OPEN = {
  tool_policy: ALL,
  prompt_policy: ALL,
  resource_policy: ALL,
  agent_policy: ALL,
};
/** Returns whether a credential works over MCP in an organization. */
export const runsIn = ({ context, organization }: AgentPrincipal, organization_id: string) =>
  organization?.id === organization_id && !context.startsWith('account:');

/** Returns the capabilities that a member may give to a credential that follows all their teams. */
async function heldCapabilities(
  look: Look,
  principal: ObjectCaller,
  row: SubjectRow,
): Promise<Capability[]> {
  const { organization_id } = look;
  const objects = [
    contextIn('organization', principal, { organization_id })!,
    ...candidateTeams(row, []).map((team_id) => teamSeatIn(principal, { team_id })!),
  ];
  const checks = objects.flatMap((object) =>
    capabilities.map((name) => ({ object, relation: `role_mcp_${name}` })),
  );
  const answers = await look.checkEach(principal, checks);
  const held = new Set(checks.flatMap(({ relation }, index) => (answers[index] ? relation : [])));
  return capabilities.filter((name) => held.has(`role_mcp_${name}`));
}
