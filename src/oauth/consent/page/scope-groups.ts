import { capabilityByScope, permissionByScope } from '../../../authz/permissions.ts';
import type { PermissionContext } from '../../../authz/permissions.ts';

/** Management scopes of one kind of object in one context, such as prompts of teams. */
export interface ScopeGroup {
  context: PermissionContext;
  /** Key of its name in the texts. */
  noun: string;
  scopes: readonly { name: string; verb: string }[];
}

const NOUNS: Readonly<Record<string, string>> = {
  organization: 'general',
  all_organization_teams: 'all_teams',
  organization_team_roles: 'team_roles',
};

/** Returns the key of a scope's noun in the texts: `organization_prompts` is `prompts`. */
const nounOf = (noun: string): string => NOUNS[noun] ?? noun.replace(/^(?:organization|team)_/, '');

/** Returns the scopes that use items over MCP, and all others in groups. */
export function groupScopes(names: readonly string[]): {
  mcp: readonly { name: string; noun: string }[];
  management: readonly ScopeGroup[];
} {
  const mcp = names.flatMap((name) => {
    const noun = capabilityByScope(name);
    return noun === null ? [] : [{ name, noun }];
  });
  const managed = names.flatMap((name) => {
    const permission = permissionByScope(name);
    const [verb = '', noun = ''] = name.split(':');
    return permission === null ? [] : [{ name, verb, noun, context: permission.context }];
  });
  const groups = Map.groupBy(managed, ({ noun }) => noun);
  return {
    mcp,
    management: [...groups].map(([noun, scopes]) => ({
      ...{ context: scopes[0]!.context, noun: nounOf(noun), scopes },
    })),
  };
}
