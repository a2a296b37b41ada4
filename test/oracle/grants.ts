import type { OracleKey } from './world.ts';

/** Returns the permissions and all that they imply: create, update and delete imply view (G1). */
export function closureOf(permissions: readonly string[]): Set<string> {
  const views = permissions.map((name) =>
    name.replace(/^can_(create|update|delete)_/, 'can_view_'),
  );
  // `can_update_settings` has no matching view.
  const real = views.filter((name) => name !== 'can_view_settings');
  return new Set([...permissions, ...real]);
}

/**
 * Returns the status a key gets before the endpoint's own rules are checked (decisions.md 2, G6).
 * `need` is a permission, `any grant` of the personal context, or `interactive`, which is 403 for
 * any key.
 */
export function restAccess(active: boolean, key: OracleKey, need: string): 'ok' | 401 | 403 {
  // Checked before the key itself (decisions 2).
  if (need === 'interactive') return 403;
  if (!active || key.revoked || key.permissions === null) return 401;
  if (need === 'any grant') return 'ok';
  return closureOf(key.permissions).has(need) ? 'ok' : 403;
}
