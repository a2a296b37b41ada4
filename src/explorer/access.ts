import type { ObjectCaller } from '../authz/authz.ts';
import { capabilities } from '../authz/permissions.ts';
import type { Capability } from '../authz/permissions.ts';
import { contextIn, teamSeatIn } from '../caller/access.ts';
import { isSession } from '../caller/principal.ts';
import type { AgentPrincipal, Principal } from '../caller/principal.ts';
import { admittedView } from '../keys/keys.ts';
import { absent } from '../platform/errors/refusal.ts';
import { policiesOf } from '../policies/item-policies.ts';
import { nowhere } from '../visibility/visibility.ts';
import type { View } from '../visibility/visibility.ts';
import type { Begin, ExplorerDependencies } from './dependencies.ts';
import type { Look } from './look.ts';
import type { Subject, SubjectAccess, SubjectRef } from './schema.ts';
import { candidateTeams, subjectOf } from './subjects/record.ts';
import { listSubjects } from './subjects/store.ts';
import type { SubjectRow } from './subjects/store.ts';

interface AccessDependencies extends ExplorerDependencies {
  begin: Begin;
}

/** Who asks, and about which organization. */
export interface Asked {
  caller: Principal;
  organization_id: string;
}

/** Creates the answers to what one subject may do and see. */
export function createSubjectAccess(dependencies: AccessDependencies) {
  const { database, begin, organizations } = dependencies;
  const itemsIn = createItems(dependencies);

  async function requireSubject(
    organization_id: string,
    id: string,
    kinds: readonly SubjectRow['kind'][],
  ): Promise<SubjectRow> {
    const rows = await listSubjects(database.pool, organization_id, { id });
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
      ...(await itemsIn(look, asked, { row, view })),
    };
  }

  /** A team shows what a credential would see that is bound to it alone, with every capability. */
  async function ofTeam(asked: Asked, team_id: string): Promise<SubjectAccess> {
    const { caller, organization_id } = asked;
    await organizations.teams.get(caller, { organization_id, team_id });
    const look = await begin(organization_id);
    const name = look.teams.get(team_id);
    if (name === undefined) throw absent('deleted concurrently');
    const { scopes } = caller;
    const credential = { kind: 'org_key', id: team_id } as const;
    const place = { scopes, credential, person: null, team_ids: [team_id] };
    const view = (await look.visibility.draftsIn(place))({
      ...OPEN,
      mcp_capabilities: capabilities,
    });
    return {
      subject: namedSubject('team', { id: team_id, name }),
      ...NOTHING,
      capabilities: [],
      ...(await itemsIn(look, asked, { row: null, view })),
    };
  }

  /** A role gives permissions and capabilities; which items its holders see depends on their teams. */
  async function ofRole(asked: Asked, role_id: string): Promise<SubjectAccess> {
    const { organization_id } = asked;
    const role = await organizations.roles.get({ organization_id, role_id });
    const look = await begin(organization_id);
    return {
      subject: namedSubject('role', role),
      ...{ permissions: [...role.permissions], team_permissions: [] },
      capabilities: [...role.capabilities],
      ...{ ...NO_ITEMS, as_of: look.as_of, model_id: look.model_id },
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
const NO_COUNTS = { tools: 0, prompts: 0, resources: 0, agents: 0 };
const NO_ITEMS = {
  visible: { tools: [], prompts: [], resources: [], agents: [] },
  hidden: [],
  counts: { visible: NO_COUNTS, hidden: 0 },
};

const namedSubject = (
  kind: 'role' | 'team',
  { id, name }: { id: string; name: string },
): Subject => ({
  ...{ kind, id, name, owner: null, teams: kind === 'team' ? [{ id, name }] : [] },
  ...{ follows: false, last_used_at: null },
});

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

/** Creates the function that returns a view's items, as far as the caller may know of them. */
function createItems({ keys: { knownTo, shownIn } }: Pick<ExplorerDependencies, 'keys'>) {
  return async (
    look: Look,
    { caller, organization_id }: Asked,
    { row, view }: { row: SubjectRow | null; view: View },
  ) => {
    // Another member's credential may be in teams that the viewer is not in, and has their own items.
    const isOwn = isSession(caller) && row?.account_id === caller.person;
    const owner = isOwn
      ? ({ kind: 'account', id: caller.person } as const)
      : ({ kind: 'organization', id: organization_id } as const);
    const isKnown = await knownTo(caller, { owner, runs_in: organization_id });
    const fairnessKey = caller.quota_owner.id;
    await look.visibility.precomputed(fairnessKey, view);
    const { seen } = await shownIn({
      ...{ view, isKnown, fairnessKey, page: null, default_agent_id: null },
      previewed: {
        owner: { kind: 'organization', id: organization_id },
        runs_in: organization_id,
        page: pageOf(row),
        declared: [...view.capabilities],
      },
    });
    const { visible, hidden, counts } = seen;
    return { visible, hidden, counts, as_of: look.as_of, model_id: look.model_id };
  };
}

/** Returns the page of the dashboard that changes a credential; null if the organization has none. */
const pageOf = (row: SubjectRow | null): string | null =>
  row?.kind === 'organization_key' ? `keys/${row.id}` : null;
