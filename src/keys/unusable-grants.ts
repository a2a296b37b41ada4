import {
  grantName,
  personalPermissionByGrant,
  teamPermissionByGrant,
} from '../authz/permissions.ts';
import { isInOrganization, isOnObject, refusesKeys } from '../caller/access.ts';
import type { Access } from '../caller/access.ts';
import type { Grant, KeyDraft, KeyWarning } from './schema.ts';

/** Returns a warning for each granted permission that the key cannot use, or only over REST. */
export type WarningsOf = (draft: Pick<KeyDraft, 'grants' | 'mcp_capabilities'>) => KeyWarning[];

/**
 * Creates `WarningsOf` from the access that routes declare: a permission is of no use to a key if
 * every route that requires it refuses keys. `routes` is called when a draft is previewed.
 */
export function createGrantWarnings(routes: () => readonly { access: Access }[]): WarningsOf {
  let known: ReadonlySet<string> | null = null;
  return ({ grants, mcp_capabilities }) => {
    const unusable = (known ??= findUnusable(routes()));
    const withoutEffect = grants.flatMap(({ permissions }, grant) =>
      permissions.flatMap((permission, index) =>
        unusable.has(permission)
          ? [warning(permission, `/grants/${grant}/permissions/${index}`)]
          : [],
      ),
    );
    // Without any capability, the key is meant for REST.
    const isForMcp = mcp_capabilities.length > 0 && !mcp_capabilities.includes('tools');
    return isForMcp ? [...withoutEffect, ...grants.flatMap(restOnlyWarning)] : withoutEffect;
  };
}

/** Over MCP, items are changed by management tools, which require the capability Tools. */
const changesItems = (name: string): boolean => {
  const found = personalPermissionByGrant(name) ?? teamPermissionByGrant(name);
  return /^(?:resources|tools|prompts|agents)_(?:create|update|delete)$/.test(
    found?.relation ?? '',
  );
};

const restOnlyWarning = ({ permissions }: Grant, index: number): KeyWarning[] =>
  permissions.some(changesItems)
    ? [
        {
          code: 'write_without_tools',
          message:
            'Without the capability `tools`, the key can change items over REST only, not over MCP.',
          detail: { pointer: `/grants/${index}` },
        },
      ]
    : [];

/** Returns the names in grants of the permissions that only routes refusing keys require. */
export function findUnusable(routes: readonly { access: Access }[]): ReadonlySet<string> {
  const [used, refused] = [new Set<string>(), new Set<string>()];
  for (const { access } of routes) {
    const name = grantRequiredBy(access);
    if (name !== null) (refusesKeys(access) ? refused : used).add(name);
  }
  return refused.difference(used);
}

function grantRequiredBy(access: Access): string | null {
  if (isOnObject(access)) return grantName(access.on, access.permission);
  return isInOrganization(access) ? grantName(access.interactive, access.permission) : null;
}

const warning = (permission: string, pointer: string): KeyWarning => ({
  code: 'permission_without_effect',
  message: `A key cannot use \`${permission}\`: only a session or an access token can.`,
  detail: { pointer, permission },
});
