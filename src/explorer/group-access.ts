import { capabilities } from '../authz/permissions.ts';
import { absent } from '../platform/errors/refusal.ts';
import type { Asked, Begin, ExplorerDependencies } from './dependencies.ts';
import { createItems } from './items/shown.ts';
import type { Subject, SubjectAccess } from './schema.ts';

interface GroupDependencies extends ExplorerDependencies {
  begin: Begin;
  /** Whether lists of visible items are complete, however long. */
  isWhole?: boolean;
}

/** Creates the answers to what a team and a role give. */
export function createGroupAccess(dependencies: GroupDependencies) {
  const { begin, organizations } = dependencies;
  const itemsIn = createItems(dependencies);

  /** A team shows what a credential would see that is bound to it alone, with every capability. */
  async function ofTeam(asked: Asked, team_id: string): Promise<SubjectAccess> {
    const { caller, organization_id } = asked;
    const look = await begin(organization_id);
    const name = look.teams.get(team_id);
    if (name === undefined) throw absent('no such team');
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

  return { ofTeam, ofRole };
}

const NOTHING = { permissions: [], team_permissions: [] };
const ALL = { mode: 'all' } as const;
const OPEN = { tool_policy: ALL, prompt_policy: ALL, resource_policy: ALL, agent_policy: ALL };
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
