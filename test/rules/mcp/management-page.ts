import { grantName } from '../../../src/authz/permissions.ts';
import type { BuiltInTool } from '../../../src/catalog/tool.ts';
import { grepEntry } from '../../../src/mcp/management/grep.ts';
import { managementEntries } from '../../../src/mcp/management/entries.ts';

const id = '0190f3a2-7c1e-7b44-9d2f-5a1c3e8b6f70';
const drafts: Readonly<Record<string, object>> = {
  resource: { path: 'notes/plan.md', mime_type: 'text/markdown', text: '# Plan' },
  prompt: {
    name: 'greet',
    arguments: [{ name: 'who', required: true }],
    messages: [{ role: 'user', content: 'Greet {{who}}.' }],
  },
  agent: { name: 'reviewer', description: 'Reviews changes.', instructions: 'Be kind.' },
  custom_tool: {
    name: 'weather',
    kind: 'http',
    description: 'The weather of a city.',
    input_schema: { type: 'object', properties: { city: { type: 'string' } } },
    http: { method: 'GET', url: 'https://weather.example/{{city}}' },
  },
};

/** Returns valid example arguments of a management tool. */
const argumentsOf = (verb: string, noun: string): object =>
  ({
    list: { limit: 20 },
    get: { id },
    create: drafts[noun]!,
    update: { id, if_version: 3, ...drafts[noun] },
    patch: { id, description: 'Another one.' },
    delete: { id, if_version: 3 },
  })[verb]!;

export const examples: readonly (readonly [BuiltInTool, object])[] = [
  ...managementEntries.map(
    ({ tool, verb, family }) => [tool, argumentsOf(verb, family.noun)] as const,
  ),
  [grepEntry, { pattern: 'TODO|FIXME', paths: 'notes/**', ignore_case: true }],
];

function needOf({ requires }: BuiltInTool): string {
  const { permission, capability } = requires ?? {};
  if (permission !== undefined)
    return `\`${grantName('account', permission.replace(/^can_/, ''))}\``;
  return capability === undefined ? '' : 'the capability `agents`';
}

/** Generates `docs/management-tools.md`. */
export const managementPage = (): string => `# Management tools

With these an agent lists, reads and edits what people wrote: resources, prompts, agent definitions
and custom tools. They are tools of the catalogue: not there until they are selected, filtered by a
key's tool policy, counted like any call. Each needs the Tools capability, and what its row names.

- A read shows what the caller reaches otherwise: \`list_resources\` what \`resources/list\` does. An
  item that is absent, of another account or out of reach is the tool error \`not_found\`, one answer
  for all three: the tool is there, so it is not the protocol error \`method_not_found\`.
- A write may reach further than a read: an item the caller may write but not read stays writable.
  Its answer is \`id\` and \`version\` alone, and an error quotes nothing of its content.
- Of an agent definition only the components that apply to the credential are shown, as
  \`agent_context\` does. An edit that sends \`components\` replaces all of them.
- A write is the key's own act in the audit, with the permission of its personal grant. Without it
  the tool is not listed, and a call is \`capability_denied\`.
- \`if_version\` refuses an edit of another version than the one that was read: \`version_mismatch\`.
- \`update_…\` replaces: what is not sent gets its default. \`patch_…\` changes what is sent. Of a
  custom tool of kind \`mcp\` only the name can be changed, so what was read may be sent back.
- \`secrets\` of a custom tool are written and never read, and not kept with the call.

| Tool | Does | Needs | Example |
| - | - | - | - |
${examples.map(([tool, sent]) => `| \`${tool.name}\` | ${tool.description} | ${needOf(tool)} | \`${cell(sent)}\` |`).join('\n')}
`;

const cell = (sent: object) => JSON.stringify(sent).replaceAll('|', String.raw`\|`);
