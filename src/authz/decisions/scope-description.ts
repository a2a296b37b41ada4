import { capabilityByScope } from '../permissions.ts';

/** Returns what a scope allows, for people: `Read organization prompts`, `Use tools over MCP`. */
export function scopeDescription(name: string): string {
  const capability = capabilityByScope(name);
  if (capability !== null) return `Use ${capability} over MCP`;
  const [verb = '', noun = ''] = name.split(':');
  return `${verb.charAt(0).toUpperCase()}${verb.slice(1)} ${noun.replaceAll('_', ' ')}`;
}
