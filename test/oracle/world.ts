// The personal context as the specification defines it, implemented a second time. This folder
// imports nothing from src/, so that service and oracle agree only if both are right.

/** A family of items; also the capability of a key that gives access to it. */
export type Family = 'tools' | 'prompts' | 'resources' | 'agents';
export const families: readonly Family[] = ['tools', 'prompts', 'resources', 'agents'];

/** An item; the name of a resource is its path. */
export interface OracleItem {
  id: string;
  name: string;
}

export interface OracleBuiltIn extends OracleItem {
  deprecated: boolean;
}

/** The condition of an agent's component; null if it always applies. */
export type OracleCondition =
  | null
  | { capability: string }
  | { tool: string }
  | { prompt: string }
  | { agent: string }
  | { resource: string };

export interface OracleAgent extends OracleItem {
  components: readonly { name: string; when: OracleCondition }[];
}

/** A policy as saved, with the list names of the API. */
export interface OraclePolicy {
  mode: 'all' | 'whitelist' | 'blacklist';
  tools?: readonly string[];
  custom_tools?: readonly string[];
  prompts?: readonly string[];
  platform_prompts?: readonly string[];
  patterns?: readonly string[];
  agents?: readonly string[];
}

export interface OracleAccount {
  active: boolean;
  /** Ids of selected built-in tools and platform prompts; none at first (S8, P6). */
  selected: ReadonlySet<string>;
  tools: readonly OracleItem[];
  prompts: readonly OracleItem[];
  resources: readonly OracleItem[];
  agents: readonly OracleAgent[];
}

export interface OracleKey {
  account: number;
  revoked: boolean;
  capabilities: readonly string[];
  /** Policies by family; a missing one filters nothing (P5). */
  policies: Readonly<Partial<Record<Family, OraclePolicy>>>;
  /** Permissions of the personal grant; null without one. */
  permissions: readonly string[] | null;
  defaultAgent: string | null;
}

export interface OracleWorld {
  builtIn: readonly OracleBuiltIn[];
  platformPrompts: readonly OracleBuiltIn[];
  accounts: readonly OracleAccount[];
}
