import { chatgpt } from './chatgpt.ts';
import { claudeCode } from './claude-code.ts';
import { claudeDesktop } from './claude-desktop.ts';
import type { McpClient } from './client.ts';
import { codex } from './codex.ts';
import { cursor } from './cursor.ts';
import { geminiCli } from './gemini-cli.ts';
import { other } from './other.ts';
import { vscode } from './vscode.ts';

/** In the order people are shown them. */
export const clients: readonly McpClient[] = [
  claudeCode,
  claudeDesktop,
  cursor,
  vscode,
  codex,
  geminiCli,
  chatgpt,
  other,
];

export const clientIds: readonly string[] = clients.map(({ id }) => id);

/** The client of this id, or the one that stands for all others. */
export const clientById = (id: unknown): McpClient =>
  clients.find((client) => client.id === id) ?? other;

/** What a client should do at the start of each task, in the words it keeps. */
const taskStartInstruction = [
  'At the start of every task, before any other tool, call the tool `bootstrap` of the MCP server',
  '`toolgate` once and follow the context it returns.',
  'If you talk to the user, send `primary_agent: true`.',
  'If another agent gave you the task, send `primary_agent: false` and the `agent_selection` it',
  'chose for you: `named` with the exact `agent_name`, `self` or `none`; if it chose none of them,',
  'send `none`.',
  'If the answer names your role, load it with `agent_context` and the components it lists.',
  'When you start a subagent, tell it which of the three to send; it does not inherit your role.',
  'Never write an API key, token or client secret into a message or a file of the project.',
].join(' ');

/** How to install the instruction lastingly; names the endpoint and never a secret (A9). */
export function installInstruction(client: McpClient, endpoint: string): string {
  return [
    `Add the following paragraph to ${client.instructionPlace}, unless an equal one is there;`,
    'replace an older one of the same server. Tell the user what you changed and where.',
    `The server \`toolgate\` is ${endpoint}.`,
    '',
    taskStartInstruction,
  ].join('\n');
}
