/** An MCP client: how to connect it, and where its permanent instructions go. */
export interface McpClient {
  id: string;
  title: string;
  /** Configuration that connects the client with a key; null if it accepts no key. */
  configuration: ((endpoint: string) => Snippet) | null;
  /** Describes where the client stores instructions that it applies to every task. */
  instructionPlace: string;
  /** Anything else a user of this client should know, or null. */
  note: string | null;
}

interface Snippet {
  /** Location of the text: a file, a terminal, or a place in the program. */
  place: string;
  language: 'json' | 'toml' | 'shell' | 'text';
  text: string;
}

/** Placeholder for the user's own key; no snippet ever contains a secret (A9). */
export const KEY_PLACEHOLDER = 'YOUR_API_KEY';

const jsonIn =
  (place: string, settings: (endpoint: string) => object) =>
  (endpoint: string): Snippet => ({
    place,
    language: 'json',
    text: JSON.stringify(settings(endpoint), null, 2),
  });

/** Fallback for clients without their own entry. */
export const otherClient: McpClient = {
  id: 'other',
  title: 'Another client',
  configuration: jsonIn('the client’s list of MCP servers (transport: Streamable HTTP)', (url) => ({
    mcpServers: { toolgate: { type: 'http', url, headers: { 'X-API-Key': KEY_PLACEHOLDER } } },
  })),
  instructionPlace: 'the place where the client stores instructions for all tasks',
  note: null,
};

/** Clients in display order. */
export const clients: readonly McpClient[] = [
  {
    id: 'claude_code',
    title: 'Claude Code',
    configuration: (endpoint) => ({
      place: 'a terminal',
      language: 'shell',
      text: `claude mcp add --transport http toolgate ${endpoint} --header "X-API-Key: ${KEY_PLACEHOLDER}"`,
    }),
    instructionPlace: 'the file CLAUDE.md of the project, or ~/.claude/CLAUDE.md for all projects',
    note: null,
  },
  {
    id: 'claude_desktop',
    title: 'Claude Desktop',
    configuration: jsonIn(
      'claude_desktop_config.json (Settings → Developer → Edit Config)',
      (endpoint) => ({
        mcpServers: {
          toolgate: {
            command: 'npx',
            args: ['-y', 'mcp-remote', endpoint, '--header', 'X-API-Key:${TOOLGATE_KEY}'],
            env: { TOOLGATE_KEY: KEY_PLACEHOLDER },
          },
        },
      }),
    ),
    instructionPlace: 'Settings → Profile → Personal preferences, or the instructions of a project',
    note: 'Connectors cannot send a header, so a local bridge sends the key; it requires Node.js.',
  },
  {
    id: 'cursor',
    title: 'Cursor',
    configuration: jsonIn('.cursor/mcp.json of the project, or ~/.cursor/mcp.json', (url) => ({
      mcpServers: { toolgate: { url, headers: { 'X-API-Key': KEY_PLACEHOLDER } } },
    })),
    instructionPlace: 'a rule that always applies (.cursor/rules), or Settings → Rules',
    note: null,
  },
  {
    id: 'vscode',
    title: 'VS Code',
    configuration: jsonIn('.vscode/mcp.json', (url) => ({
      inputs: [
        { type: 'promptString', id: 'toolgate-key', description: 'Toolgate key', password: true },
      ],
      servers: {
        toolgate: { type: 'http', url, headers: { 'X-API-Key': '${input:toolgate-key}' } },
      },
    })),
    instructionPlace: 'the file .github/copilot-instructions.md of the project',
    note: 'VS Code asks for the key once and stores it outside the file.',
  },
  {
    id: 'codex',
    title: 'Codex',
    configuration: (endpoint) => ({
      place: '~/.codex/config.toml',
      language: 'toml',
      text: [
        '[mcp_servers.toolgate]',
        `url = "${endpoint}"`,
        'env_http_headers = { "X-API-Key" = "TOOLGATE_KEY" }',
      ].join('\n'),
    }),
    instructionPlace: 'the file AGENTS.md of the project, or ~/.codex/AGENTS.md for all projects',
    note: 'The key is read from the environment variable TOOLGATE_KEY.',
  },
  {
    id: 'gemini_cli',
    title: 'Gemini CLI',
    configuration: jsonIn(
      '~/.gemini/settings.json, or .gemini/settings.json of the project',
      (httpUrl) => ({
        mcpServers: { toolgate: { httpUrl, headers: { 'X-API-Key': '$TOOLGATE_KEY' } } },
      }),
    ),
    instructionPlace: 'the file GEMINI.md of the project, or ~/.gemini/GEMINI.md for all projects',
    note: 'The key is read from the environment variable TOOLGATE_KEY.',
  },
  {
    id: 'chatgpt',
    title: 'ChatGPT',
    // Its connectors support OAuth only.
    configuration: null,
    instructionPlace: 'Settings → Personalization → Custom instructions, or those of a project',
    note: 'Its connectors do not support API keys: connect it as an OAuth client.',
  },
  otherClient,
];
