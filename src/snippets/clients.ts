/** An MCP client: how to connect it, and where its permanent instructions go. */
export interface McpClient {
  id: string;
  title: string;
  /** Configuration that connects the client with a key; null if it accepts no key. */
  configuration: ((endpoint: string) => Snippet) | null;
  /** A link that opens the client and adds the server; absent if it has none, or not with a key. */
  installLink?: (endpoint: string) => string;
  /** Describes where the client stores instructions that it applies to every task. */
  instructionPlace: string;
  /** Anything else a user of this client should know, or null. */
  note: string | null;
}

export interface Snippet {
  /** Location of the text: a file, a terminal, or a place in the program. */
  place: string;
  language: 'json' | 'toml' | 'shell' | 'text';
  text: string;
}

/** Environment variable that most clients read the key from, so that no file contains it. */
export const KEY_VARIABLE = 'TOOLGATE_KEY';
/** Placeholder where a client can read no variable; no snippet ever contains a secret (A9). */
export const KEY_PLACEHOLDER = 'YOUR_API_KEY';

const FROM_VARIABLE = `The key is read from the environment variable ${KEY_VARIABLE}.`;
const TRUST_FOLDER = `${FROM_VARIABLE} Trust the folder first: in others, servers stay disabled.`;
const CURSOR_KEY = `\${env:${KEY_VARIABLE}}`;
const IN_FILE = 'The file contains the key: keep it out of version control.';

/** Runs a local program that sends the key as a header. */
const bridge = (endpoint: string, key: string) => ({
  mcpServers: {
    toolgate: {
      command: 'npx',
      args: ['-y', 'mcp-remote', endpoint, '--header', `X-API-Key:\${${KEY_VARIABLE}}`],
      env: { [KEY_VARIABLE]: key },
    },
  },
});

const vscodeServer = (url: string) => ({
  inputs: [
    { type: 'promptString', id: 'toolgate-key', description: 'Toolgate key', password: true },
  ],
  server: { type: 'http', url, headers: { 'X-API-Key': '${input:toolgate-key}' } },
});

/** Opens VS Code through its website, since many pages do not make `vscode:` a link. */
function vscodeLink(endpoint: string): string {
  const { inputs, server } = vscodeServer(endpoint);
  const install = encodeURIComponent(JSON.stringify({ name: 'toolgate', ...server, inputs }));
  return `https://vscode.dev/redirect?url=${encodeURIComponent(`vscode:mcp/install?${install}`)}`;
}

function cursorLink(endpoint: string): string {
  const { toolgate } = bridge(endpoint, CURSOR_KEY).mcpServers;
  const config = btoa(JSON.stringify(toolgate));
  return `cursor://anysphere.cursor-deeplink/mcp/install?name=toolgate&config=${encodeURIComponent(config)}`;
}

const terminal =
  (command: (endpoint: string) => string) =>
  (endpoint: string): Snippet => ({
    place: 'a terminal',
    language: 'shell',
    text: command(endpoint),
  });

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
  note: 'If the client can read the key from a variable or a secret store, keep it there instead.',
};

/** Clients in display order. */
export const clients: readonly McpClient[] = [
  {
    id: 'claude_code',
    title: 'Claude Code',
    configuration: terminal(
      (endpoint) =>
        `claude mcp add --scope user --transport http toolgate ${endpoint} --header 'X-API-Key: \${${KEY_VARIABLE}}'`,
    ),
    instructionPlace: 'the file CLAUDE.md of the project, or ~/.claude/CLAUDE.md for all projects',
    note: FROM_VARIABLE,
  },
  {
    id: 'claude_desktop',
    title: 'Claude Desktop',
    configuration: jsonIn(
      'claude_desktop_config.json (Settings → Developer → Edit Config)',
      (endpoint) => bridge(endpoint, KEY_PLACEHOLDER),
    ),
    instructionPlace: 'Settings → Profile → Personal preferences, or the instructions of a project',
    note: `Connectors cannot send a header, so a local bridge sends the key; it requires Node.js. ${IN_FILE} Or connect it as an OAuth client, without a key.`,
  },
  {
    id: 'cursor',
    title: 'Cursor',
    configuration: jsonIn('.cursor/mcp.json of the project, or ~/.cursor/mcp.json', (endpoint) =>
      bridge(endpoint, CURSOR_KEY),
    ),
    installLink: cursorLink,
    instructionPlace: 'a rule that always applies (.cursor/rules), or Settings → Rules',
    note: `${FROM_VARIABLE} Cursor drops headers where a server offers OAuth, so a local bridge sends the key; it requires Node.js. Or connect it as an OAuth client, without a key.`,
  },
  {
    id: 'vscode',
    title: 'VS Code',
    configuration: jsonIn('.vscode/mcp.json', (endpoint) => {
      const { inputs, server } = vscodeServer(endpoint);
      return { inputs, servers: { toolgate: server } };
    }),
    installLink: vscodeLink,
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
        `env_http_headers = { "X-API-Key" = "${KEY_VARIABLE}" }`,
      ].join('\n'),
    }),
    instructionPlace: 'the file AGENTS.md of the project, or ~/.codex/AGENTS.md for all projects',
    note: `${FROM_VARIABLE} With a key, Codex shows “Not logged in”: that concerns OAuth, and can be ignored.`,
  },
  {
    id: 'gemini_cli',
    title: 'Gemini CLI',
    configuration: jsonIn(
      '~/.gemini/settings.json, or .gemini/settings.json of the project',
      (httpUrl) => ({
        mcpServers: { toolgate: { httpUrl, headers: { 'X-API-Key': `$${KEY_VARIABLE}` } } },
      }),
    ),
    instructionPlace: 'the file GEMINI.md of the project, or ~/.gemini/GEMINI.md for all projects',
    note: TRUST_FOLDER,
  },
  {
    id: 'qwen_code',
    title: 'Qwen Code',
    configuration: jsonIn(
      '~/.qwen/settings.json, or .qwen/settings.json of the project',
      (httpUrl) => ({
        mcpServers: { toolgate: { httpUrl, headers: { 'X-API-Key': `$${KEY_VARIABLE}` } } },
      }),
    ),
    instructionPlace: 'the file QWEN.md of the project, or ~/.qwen/QWEN.md for all projects',
    note: TRUST_FOLDER,
  },
  {
    id: 'opencode',
    title: 'opencode',
    configuration: terminal(
      (endpoint) =>
        `opencode mcp add toolgate --url ${endpoint} --header 'X-API-Key={env:${KEY_VARIABLE}}'`,
    ),
    instructionPlace:
      'the file AGENTS.md of the project, or ~/.config/opencode/AGENTS.md for all projects',
    note: FROM_VARIABLE,
  },
  {
    id: 'copilot_cli',
    title: 'Copilot CLI',
    configuration: terminal(
      (endpoint) =>
        `copilot mcp add --transport http --header 'X-API-Key: \${${KEY_VARIABLE}}' toolgate ${endpoint}`,
    ),
    instructionPlace:
      'the file AGENTS.md of the project, or ~/.copilot/copilot-instructions.md for all projects',
    note: FROM_VARIABLE,
  },
  {
    id: 'cline',
    title: 'Cline',
    configuration: jsonIn(
      'cline_mcp_settings.json (MCP Servers → Configure MCP Servers)',
      (url) => ({
        mcpServers: {
          toolgate: { type: 'streamableHttp', url, headers: { 'X-API-Key': KEY_PLACEHOLDER } },
        },
      }),
    ),
    instructionPlace: 'a file in the folder .clinerules of the project, or Cline’s global rules',
    note: IN_FILE,
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
