// Personal spaces and organizations as the specification defines them, implemented a second time.
// This folder imports nothing from src/, so that service and oracle agree only if both are right.

/** A family of items; also the capability of a key that gives access to it. */
export type Family = 'tools' | 'prompts' | 'resources' | 'agents';
export const families: readonly Family[] = ['tools', 'prompts', 'resources', 'agents'];

/** An item; the name of a resource is its path. */
export interface OracleItem {
  id: string;
  name: string;
  /** Set on built-in items only. */
  deprecated?: boolean;
}

/**
 * The condition under which an agent's component applies: one of these fields, or null for always.
 */
export type OracleCondition = Partial<
  Record<'capability' | 'tool' | 'prompt' | 'agent' | 'resource', string>
> | null;

export interface OracleAgent extends OracleItem {
  components: readonly { name: string; when: OracleCondition }[];
}

/** The lists of policies, with the names of the API. */
type List = 'tools' | 'custom_tools' | 'prompts' | 'platform_prompts' | 'patterns' | 'agents';

/** A policy as saved. */
export interface OraclePolicy extends Partial<Record<List, readonly string[]>> {
  mode: 'all' | 'whitelist' | 'blacklist';
}

/** The four policies of a key or a team; a missing one filters nothing (P5). */
export type OraclePolicies = Readonly<Partial<Record<Family, OraclePolicy>>>;

/** The items of a space; those of an organization are its catalog. */
export interface OracleItems extends Readonly<Record<Family, readonly OracleItem[]>> {
  agents: readonly OracleAgent[];
}

export interface OracleAccount extends OracleItems {
  active: boolean;
  /** Ids of selected built-in tools and platform prompts; none at first (S8, P6). */
  selected: ReadonlySet<string>;
}

export interface OracleOrganization extends OracleItems {
  selected: ReadonlySet<string>;
  /** Ids of built-in and catalog items that are designated for the whole organization. */
  organizationWide: ReadonlySet<string>;
}

export interface OracleTeam extends OracleItems {
  name: string;
  policies: OraclePolicies;
}

/**
 * A person in an organization; also its own keys, which have every capability, every team that they
 * are not bound away from, and an empty `me`.
 */
export interface OracleMember {
  organization: OracleOrganization;
  /** Items of the person's `me/`. */
  me: OracleItems;
  /** Capabilities from organization roles; `seats` has those from the roles in each team (C3). */
  capabilities: readonly string[];
  /** Null in a team without a seat, for who may manage every team: keys must be bound to it (SC3). */
  seats: ReadonlyMap<OracleTeam, readonly string[] | null>;
}

export interface OracleKey {
  account: number;
  /** The member in whose organization the key runs; null for a key in the personal space. */
  member: OracleMember | null;
  /** The teams the key is bound to; null if it follows the member's teams. */
  teams: readonly OracleTeam[] | null;
  revoked: boolean;
  capabilities: readonly string[];
  policies: OraclePolicies;
  /** Permissions of the personal grant; null without one. */
  permissions: readonly string[] | null;
  defaultAgent: string | null;
}

export interface OracleWorld {
  builtIn: readonly OracleItem[];
  platformPrompts: readonly OracleItem[];
  accounts: readonly OracleAccount[];
}
