import { clients, otherClient } from './clients.ts';
import type { McpClient } from './clients.ts';

export const clientIds: readonly string[] = clients.map(({ id }) => id);

/** Returns the client with this id, or the fallback if there is none. */
export const clientById = (id: unknown): McpClient =>
  clients.find((client) => client.id === id) ?? otherClient;

/** Instruction for the start of each task, as the client stores it. */
const taskStartInstruction = [
  'At the start of every task, before any other tool, call the tool `bootstrap` of the MCP server',
  '`toolgate` once and follow the context it returns.',
  'If you talk to the user, send `primary_agent: true`.',
  'If another agent gave you the task, send `primary_agent: false` and the `agent_selection` it',
  'chose for you: `named` with the exact `agent_name`, `self` or `none`; if it chose none of them,',
  'send `none`.',
  'If the answer names your role, load it with `agent_context` and the components it lists.',
  'When you start a subagent, tell it which of the three to send; it does not inherit your role.',
  'Never write an API key, token or client secret into a message or a project file.',
].join(' ');

/** Tells how to install the instruction permanently; contains the endpoint, never a secret (A9). */
export function installInstruction(client: McpClient, endpoint: string): string {
  return [
    `Add the following paragraph to ${client.instructionPlace}, unless it is already there;`,
    'replace an older one of the same server. Tell the user what you changed and where.',
    `The server \`toolgate\` is ${endpoint}.`,
    '',
    taskStartInstruction,
  ].join('\n');
}
