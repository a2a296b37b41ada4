/** The definitions of relations that are generated for each permission. */
import type { Permission } from '../../src/authz/permissions.ts';
import { everyTeamRelation, sourcesOf } from '../../src/authz/permissions.ts';

export const FLAG = '[everyone#any]';

export function carried(permission: Permission, who: string): string {
  const sources = sourcesOf(permission).map((relation) => `carried_${relation}`);
  return `define carried_${permission.relation}: ${union(who, sources)}`;
}

/** A permission without a scope: no token carries it, not even one that carries a source of it. */
export function carriedByKey(permission: Permission, who: string): string {
  const sources = sourcesOf(permission).map((relation) => `(is_key and carried_${relation})`);
  return `define carried_${permission.relation}: ${union(who, sources)}`;
}

/** A frozen connection is a token, so that it has no permission without a scope. */
export const heldInOrganization = ({ relation, scope }: Permission): string =>
  scope === null ? `${relation} from role` : `(${relation} from role or frozen)`;

/**
 * Each team permission is also implied by `all_organization_teams`, unless a source already has it.
 */
export function carriedForTeams(permission: Permission, who: string): string {
  const sources = sourcesOf(permission).map((relation) => `team_carried_${relation}`);
  const all = sources.length === 0 ? [`carried_${everyTeamRelation}`] : sources;
  return `define team_carried_${permission.relation}: ${union(who, all)}`;
}

export function flag(permission: Permission): string {
  return `define ${permission.relation}: ${union(FLAG, sourcesOf(permission))}`;
}

export function decision(permission: Permission, rule: string): string {
  return `define can_${permission.relation}: ${rule}`;
}

function union(who: string, sources: string[]): string {
  return [who, ...sources].join(' or ');
}

export function lines<Item>(
  list: readonly Item[],
  definitionsOf: (item: Item) => string[],
): string {
  return list.flatMap((item) => definitionsOf(item).map((line) => `    ${line}`)).join('\n');
}
