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

function requirementOf({ requires }: BuiltInTool): string {
  const { permission, capability } = requires ?? {};
  if (permission !== undefined)
    return `\`${grantName('account', permission.replace(/^can_/, ''))}\``;
  return capability === undefined ? '' : 'the capability `agents`';
}

/** Generates `docs/management-tools.md`. */
export const managementPage = (): string => `# Management tools

Agents use these tools to list, read and edit what people created: resources, prompts, agent definitions
and custom tools. They are ordinary catalog tools: unavailable until selected, filtered by a key's tool
policy, and counted like any call. Each requires the Tools capability, and the permission in its row.

- A read shows what the caller can access anyway: \`list_resources\` shows the same as \`resources/list\`. An
  item that does not exist, one that belongs to another account and one that is not accessible cause the tool error \`not_found\`
  in all three cases. The tool itself exists, so this is not the protocol error \`method_not_found\`.
- In an organization, \`create_…\` needs \`space\`: \`me\` or the name of a team. Without it the error is \`invalid_params\`,
  and an unknown space is \`not_found\`. Writing to \`me\` needs no permission; writing to a team needs the permission in that team.
  Without it, and for the organization's catalog, a call fails with \`capability_denied\`.
- A caller may write an item that it may not read. Then the result has only \`id\` and \`version\`, and
  errors quote none of its content.
- An agent definition shows only the components that apply to the credential, as in
  \`agent_context\`. An edit that sends \`components\` replaces all of them.
- The audit log records a write as an action of the key, which needs the permission in its personal grant. Without that permission
  the tool is not listed, and a call fails with \`capability_denied\`.
- With \`if_version\`, an edit fails with \`version_mismatch\` unless the item still has that version.
- \`update_…\` replaces all fields: omitted ones get their defaults. \`patch_…\` changes only the fields sent. In a
  custom tool of kind \`mcp\` only the name can be changed; its other fields may be sent back unchanged.
- \`secrets\` of a custom tool can be written but not read, and are not stored with the call.

| Tool | Description | Requires | Example |
| - | - | - | - |
${examples.map(([tool, sent]) => `| \`${tool.name}\` | ${tool.description} | ${requirementOf(tool)} | \`${cell(sent)}\` |`).join('\n')}
`;

const cell = (sent: object) => JSON.stringify(sent).replaceAll('|', String.raw`\|`);
