/**
 * The 109 permissions by their names in grants, and what they imply. Like the tables next to this
 * file, they are written by hand from the specification and deliberately separate from `src/`.
 */
export type Scope = 'personal' | 'organization' | 'team';

const nouns: Readonly<Record<Scope, string>> = {
  personal: `
    resources: view create update delete
    tools: view create update delete
    prompts: view create update delete
    agents: view create update delete
    usage: view
    dashboard: view
    settings: update`,
  organization: `
    organization: view update
    organization_mcp_settings: view update
    organization_members: view invite remove update
    organization_roles: view create update delete
    organization_team_roles: view create update delete
    organization_teams: view update
    all_organization_teams: update
    organization_api_keys: view create update revoke
    organization_oauth_clients: view create update delete
    organization_resources: view create update delete
    organization_tools: view create update delete
    organization_prompts: view create update delete
    organization_agents: view create update delete
    organization_usage: view
    organization_billing: view
    organization_sso: view update
    organization_audit: view`,
  team: `
    team_members: view create update delete
    team_resources: view create update delete promote
    team_tools: view create update delete promote
    team_prompts: view create update delete promote
    team_agents: view create update delete
    team_usage: view
    team_roles: view create update delete
    team_general: update delete
    team_policies: view update
    team_resource_policies: view update
    team_tool_policies: view update
    team_prompt_policies: view update
    team_agent_policies: view update`,
};

const namesOf = (scope: Scope): string[] =>
  nouns[scope]
    .trim()
    .split('\n')
    .flatMap((line) => {
      const [noun = '', verbs = ''] = line.trim().split(': ');
      return verbs.split(' ').map((verb) => `can_${verb}_${noun}`);
    });

/**
 * Does not include the two personal permissions for the MCP settings: no key can be granted them.
 */
export const names: Readonly<Record<Scope, readonly string[]>> = {
  personal: namesOf('personal'),
  organization: namesOf('organization'),
  team: namesOf('team'),
};

/** Personal permissions that exist only as OAuth scopes. */
export const ungrantable: readonly string[] = ['read:mcp_settings', 'write:mcp_settings'];

/** Permissions of the Owner's session, which no role and no grant can contain. */
export const ownerOnly: readonly string[] = [
  'can_delete_organization',
  'can_update_organization_billing',
  'can_transfer_organization_ownership',
];

/** The one permission that no access token has: it has no scope. */
export const withoutScope = 'can_view_organization_audit';
/** For sessions and keys, it includes the one without a scope. */
const includesUnscoped = 'can_update_organization';

export const everyTeam = 'can_update_all_organization_teams';
const everyName = new Set(Object.values(names).flat());
const policyNouns = ['resource', 'tool', 'prompt', 'agent'].map((family) => `${family}_policies`);

/** Returns a permission and what it implies: to view its noun; for `team_policies`, each family. */
function impliedBy(name: string): string[] {
  if (ungrantable.includes(name)) return name.startsWith('write:') ? [...ungrantable] : [name];
  const [, verb, noun] = /^can_([a-z]+)_(.+)$/.exec(name) as unknown as [string, string, string];
  if (name === everyTeam) return [name, ...names.team];
  const spread =
    noun === 'team_policies'
      ? policyNouns.flatMap((policy) => impliedBy(`can_${verb}_team_${policy}`))
      : [];
  const view = `can_view_${noun}`;
  const unscoped = name === includesUnscoped ? [withoutScope] : [];
  return [name, ...(everyName.has(view) ? [view] : []), ...spread, ...unscoped];
}

/** Returns these permissions and all that they imply (G1, and SC3 for teams). */
export const withImplied = (granted: Iterable<string>): ReadonlySet<string> =>
  new Set([...granted].flatMap(impliedBy));
