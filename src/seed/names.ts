import { ADMIN_ROLE, MEMBER_ROLE } from '../caller/system-roles.ts';
import { TEAM_ADMIN_ROLE } from '../organizations/organizations.ts';
import type { Path, Problem } from './source.ts';

const NOUNS = {
  person: 'person',
  organization: 'organization',
  role: 'role',
  team_role: 'team role',
  team: 'team',
  member: 'member',
  tool: 'built-in tool',
  platform_prompt: 'built-in prompt',
  custom_tool: 'custom tool',
  resource: 'resource',
  prompt: 'prompt',
  agent: 'agent definition',
  key: 'key',
  oauth_client: 'OAuth client',
} as const;
export type Kind = keyof typeof NOUNS;

/** The name of an entry in a seed file, unique for its kind and place. */
export interface Name {
  kind: Kind;
  /** The address of a person, or an organization with or without a team; empty for all. */
  within: string;
  name: string;
}

/** The place of a person's own things, and of an organization's or a team's. */
export const ofPerson = (email: string) => email;
export const ofOrganization = (organization: string) => `organization ${organization}`;
export const ofTeam = (organization: string, team: string) => `team ${organization}/${team}`;

/** Ids by name. */
export interface Names {
  /** Returns the id of something that the file names at `at`. */
  id(name: Name, at: Path): string;
  has(name: Name): boolean;
}

export interface KnownNames extends Names {
  set(name: Name, id: string): void;
}

/** The items that come with the gateway. */
export interface BuiltIn {
  tools: readonly { id: string; name: string }[];
  prompts: readonly { id: string; name: string }[];
}

/** Stands for an id that is not known before something is created. */
export const PLACEHOLDER = '00000000-0000-4000-8000-000000000000';

/**
 * Creates a table with the built-in items and, in each organization, the system roles. Adds a problem
 * for each name that it does not have when it is asked for.
 */
export function createNames(
  { tools, prompts }: BuiltIn,
  organizations: readonly string[],
  problems: Problem[],
): KnownNames {
  const ids = new Map<string, string>();
  const set = (name: Name, id: string) => void ids.set(keyOf(name), id);
  for (const { id, name } of tools) set({ kind: 'tool', within: '', name }, id);
  for (const { id, name } of prompts) set({ kind: 'platform_prompt', within: '', name }, id);
  for (const organization of organizations) {
    const within = ofOrganization(organization);
    set({ kind: 'role', within, name: 'Admin' }, ADMIN_ROLE);
    set({ kind: 'role', within, name: 'Member' }, MEMBER_ROLE);
    set({ kind: 'team_role', within, name: 'team_admin' }, TEAM_ADMIN_ROLE);
  }
  return {
    set,
    has: (name) => ids.has(keyOf(name)),
    id(name, at) {
      const id = ids.get(keyOf(name));
      if (id !== undefined) return id;
      problems.push({ at, message: unknown(name) });
      return PLACEHOLDER;
    },
  };
}

const keyOf = ({ kind, within, name }: Name): string => JSON.stringify([kind, within, name]);

const unknown = ({ kind, within, name }: Name): string =>
  within === ''
    ? `names no ${NOUNS[kind]}: "${name}"`
    : `names no ${NOUNS[kind]} that stands before it in this file: "${name}"`;

export const repeated = ({ kind }: Name): string => `must be unique: another ${NOUNS[kind]} has it`;
