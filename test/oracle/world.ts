// What the personal lane promises, read off the specification a second time: nothing of src/ is
// imported in this folder, so that the service and its oracle can only agree by both being right.

/** What a capability of a key opens, and what each item of a world belongs to. */
export type Family = 'tools' | 'prompts' | 'resources' | 'agents';
export const families: readonly Family[] = ['tools', 'prompts', 'resources', 'agents'];

/** A resource is named by its path. */
export interface OracleItem {
  id: string;
  name: string;
}

export interface OracleBuiltIn extends OracleItem {
  deprecated: boolean;
}

/** What a component of an agent waits for; null: nothing. */
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

/** A policy as it was saved, lists as the wire names them. */
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
  /** Ids of built-in tools and platform prompts; none at first (S8, P6). */
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
  /** One without a policy filters nothing (P5). */
  policies: Readonly<Partial<Record<Family, OraclePolicy>>>;
  /** Permissions of the personal grant; null: there is none. */
  permissions: readonly string[] | null;
  defaultAgent: string | null;
}

export interface OracleWorld {
  builtIn: readonly OracleBuiltIn[];
  platformPrompts: readonly OracleBuiltIn[];
  accounts: readonly OracleAccount[];
}
