import type { AgentPrincipal } from '../../caller/principal.ts';

/** Returns the organization that a caller acts in, even if its person has left; null if in none. */
export function organizationOf({
  organization,
  context,
}: Pick<AgentPrincipal, 'organization' | 'context'>): string | null {
  if (organization !== null || context.startsWith('account:')) return organization?.id ?? null;
  return context.slice(context.indexOf(':') + 1, context.indexOf('.'));
}
