import type { Author } from '../content/author.ts';

export const nouns = ['resource', 'prompt', 'agent', 'custom_tool'] as const;
const verbs = ['list', 'get', 'create', 'update', 'patch', 'delete'] as const;
export type Noun = (typeof nouns)[number];
export const nameOf = (verb: string, noun: string) =>
  verb === 'list' ? `list_${noun}s` : `${verb}_${noun}`;
export const allTools = nouns.flatMap((noun) => verbs.map((verb) => nameOf(verb, noun)));

const groups = ['resources', 'prompts', 'agents', 'tools'];
export const allPermissions = groups.flatMap((group) =>
  ['create', 'update', 'delete'].map((verb) => `can_${verb}_${group}`),
);
export const personal = (permissions: readonly string[]) => [
  { scope: { type: 'personal' }, permissions },
];
const allCapabilities = ['tools', 'resources', 'prompts', 'agents'];
export const fullKey = (author: Author) =>
  author.createKey({ mcp_capabilities: allCapabilities, grants: personal(allPermissions) });

const uniqueName = () => `item_${crypto.randomUUID().slice(0, 8)}`;
export const drafts: Readonly<Record<Noun, () => Record<string, unknown>>> = {
  resource: () => ({ path: `notes/${uniqueName()}.md`, text: '# Notes' }),
  prompt: () => ({ name: uniqueName(), messages: [{ role: 'user', content: 'Hello.' }] }),
  agent: () => ({ name: uniqueName(), description: 'Reviews.', instructions: 'Be kind.' }),
  custom_tool: () => ({
    name: uniqueName(),
    kind: 'http',
    description: 'Asks a server.',
    http: { method: 'GET', url: 'https://api.example.com/' },
  }),
};
export const paths = {
  resource: '/api/me/resources',
  prompt: '/api/me/prompts',
  agent: '/api/me/agents',
  custom_tool: '/api/me/custom-tools',
} as const;
