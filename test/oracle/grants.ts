import type { OracleKey } from './world.ts';

/** Permissions with what they imply: a mutation lets its noun be viewed (G1), nothing else. */
export function closureOf(permissions: readonly string[]): Set<string> {
  const views = permissions.map((name) =>
    name.replace(/^can_(create|update|delete)_/, 'can_view_'),
  );
  // `can_update_settings` has no view beside it.
  const real = views.filter((name) => name !== 'can_view_settings');
  return new Set([...permissions, ...real]);
}

/**
 * Whether a key is let through to the rules of an endpoint (decisions.md 2, G6), which needs a
 * permission, `any grant` of the personal context, `no key` (403 then) or is `interactive`.
 */
export function restAccess(active: boolean, key: OracleKey, need: string): 'ok' | 401 | 403 {
  // Looked at before the key itself (decisions 2).
  if (need === 'interactive') return 403;
  if (!active || key.revoked || key.permissions === null) return 401;
  if (need === 'any grant') return 'ok';
  return closureOf(key.permissions).has(need) ? 'ok' : 403;
}
