/**
 * The permissions and what they imply, written by hand from the specification and deliberately
 * separate from `src/authz/permissions.ts`, which the matrix compares with them.
 */
export type ListedContext = 'personal' | 'organization' | 'team';

const families: Record<ListedContext, string> = {
  personal: `
    resources: read create update delete
    tools: read create update delete
    prompts: read create update delete
    agents: read create update delete
    usage: read
    dashboard: read
    settings: write
    mcp_settings: read write`,
  organization: `
    profile: read write
    mcp_settings: read write
    members: read invite remove update
    roles: read create update delete
    team_roles: read create update delete
    teams: read write
    all_teams: write
    keys: read create update revoke
    oauth_clients: read create update delete
    resources: read create update delete
    tools: read create update delete
    prompts: read create update delete
    agents: read create update delete
    usage: read
    billing: read
    sso: read write
    audit: read`,
  team: `
    members: read create update delete
    resources: read create update delete promote
    tools: read create update delete promote
    prompts: read create update delete promote
    agents: read create update delete
    usage: read
    roles: read create update delete
    general: update delete
    policies: read write
    resource_policies: read write
    tool_policies: read write
    prompt_policies: read write
    agent_policies: read write`,
};

const parseFamilies = (context: ListedContext): [family: string, verbs: string[]][] =>
  families[context]
    .trim()
    .split('\n')
    .map((line) => line.trim().split(': '))
    .map(([family = '', verbs = '']) => [family, verbs.split(' ')]);

export const listed: Record<ListedContext, string[]> = {
  personal: names('personal'),
  organization: names('organization'),
  team: names('team'),
};

function names(context: ListedContext): string[] {
  return parseFamilies(context).flatMap(([family, verbs]) =>
    verbs.map((verb) => `${family}_${verb}`),
  );
}

/** No access token has it, whatever else it carries. */
export const withoutScope = 'audit_read';

/**
 * Returns these permissions and all they imply (G1); in an organization, who may update it may also
 * read its audit log.
 */
export function withViews(context: ListedContext, relations: Iterable<string>): Set<string> {
  const result = new Set(relations);
  const umbrella = context === 'team' ? ['resource', 'tool', 'prompt', 'agent'] : [];

  for (const verb of ['write', 'read']) {
    if (!result.has(`policies_${verb}`)) continue;
    for (const family of umbrella) result.add(`${family}_policies_${verb}`);
  }
  for (const [family, verbs] of parseFamilies(context)) {
    const isHeld = verbs.some((verb) => result.has(`${family}_${verb}`));
    if (isHeld && verbs.includes('read')) result.add(`${family}_read`);
  }
  if (context === 'organization' && result.has('profile_write')) result.add(withoutScope);
  if (result.has('policies_read')) {
    for (const family of umbrella) result.add(`${family}_policies_read`);
  }
  return result;
}
