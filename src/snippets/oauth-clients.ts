/**
 * An MCP client that signs in with OAuth: what to register for it, and where its client id goes. No
 * client can register itself here.
 */
export interface OAuthClientPreset {
  id: string;
  title: string;
  /** `public`: it stores no secret; `either`: it also accepts one. */
  type: 'public' | 'either';
  /**
   * Where it receives the authorization code; on a loopback host, any port matches. Empty: it shows
   * an address of its own when it is set up.
   */
  redirect_uris: readonly string[];
  /** The steps in the client, after it was registered here. */
  steps: readonly string[];
}

interface Preset extends Omit<OAuthClientPreset, 'steps'> {
  steps(endpoint: string): readonly string[];
}

/** Placeholder for the client id of a registration; no preset contains a secret. */
const CLIENT_ID = 'YOUR_CLIENT_ID';

/** Known clients, in display order. */
const presets: readonly Preset[] = [
  {
    id: 'claude_code',
    title: 'Claude Code',
    type: 'either',
    redirect_uris: ['http://localhost/callback'],
    steps: (endpoint) => [
      `Run \`claude mcp add --transport http --client-id ${CLIENT_ID} toolgate ${endpoint}\`; for a confidential client, add \`--client-secret\`, which asks for the secret.`,
      'In Claude Code, enter `/mcp`, choose toolgate and authenticate.',
    ],
  },
  {
    id: 'claude',
    title: 'claude.ai and Claude Desktop',
    type: 'either',
    redirect_uris: [
      'https://claude.ai/api/mcp/auth_callback',
      'https://claude.com/api/mcp/auth_callback',
    ],
    steps: (endpoint) => [
      `Open Customize → Connectors, add a custom connector and enter ${endpoint}.`,
      `Open Advanced settings and enter ${CLIENT_ID} as the OAuth Client ID; for a confidential client, also its secret.`,
      'Choose Connect.',
    ],
  },
  {
    id: 'cursor',
    title: 'Cursor',
    type: 'either',
    redirect_uris: [
      'http://localhost:8787/callback',
      'cursor://anysphere.cursor-mcp/oauth/callback',
      'https://www.cursor.com/agents/mcp/oauth/callback',
    ],
    steps: (endpoint) => [
      `In ~/.cursor/mcp.json, enter \`${json({ mcpServers: { toolgate: { url: endpoint, auth: { CLIENT_ID } } } })}\`; for a confidential client, also \`CLIENT_SECRET\`.`,
      'Open Settings → Tools & MCP and choose Connect.',
    ],
  },
  {
    id: 'vscode',
    title: 'VS Code',
    type: 'public',
    redirect_uris: [
      'http://127.0.0.1:33418/',
      'http://127.0.0.1/',
      'https://vscode.dev/redirect',
      'https://insiders.vscode.dev/redirect',
    ],
    steps: (endpoint) => [
      `In .vscode/mcp.json, enter \`${json({ servers: { toolgate: { type: 'http', url: endpoint, oauth: { clientId: CLIENT_ID } } } })}\`.`,
      'Start the server above its entry. If VS Code asks for a client id, enter it, and no secret.',
    ],
  },
  {
    id: 'codex',
    title: 'Codex',
    type: 'either',
    redirect_uris: ['http://127.0.0.1/callback'],
    steps: (endpoint) => [
      `Run \`codex mcp add toolgate --url ${endpoint} --oauth-client-id ${CLIENT_ID}\`; for a confidential client, add \`--oauth-client-secret\`. It opens the browser.`,
    ],
  },
  {
    id: 'gemini_cli',
    title: 'Gemini CLI',
    type: 'either',
    redirect_uris: ['http://localhost:7777/oauth/callback'],
    steps: (endpoint) => [
      `In ~/.gemini/settings.json, enter \`${json({ mcpServers: { toolgate: { httpUrl: endpoint, oauth: { clientId: CLIENT_ID } } } })}\`; for a confidential client, also \`clientSecret\`.`,
      'In Gemini CLI, enter `/mcp auth toolgate`.',
    ],
  },
  {
    id: 'qwen_code',
    title: 'Qwen Code',
    type: 'either',
    redirect_uris: ['http://localhost:7777/oauth/callback'],
    steps: (endpoint) => [
      `Run \`qwen mcp add --transport http --oauth-client-id ${CLIENT_ID} toolgate ${endpoint}\`; for a confidential client, add \`--oauth-client-secret\`.`,
      'In Qwen Code, enter `/mcp auth toolgate`.',
    ],
  },
  {
    id: 'opencode',
    title: 'opencode',
    type: 'either',
    redirect_uris: ['http://127.0.0.1:19876/mcp/oauth/callback'],
    steps: (endpoint) => [
      `In ~/.config/opencode/opencode.json, enter \`${json({ mcp: { toolgate: { type: 'remote', url: endpoint, oauth: { clientId: CLIENT_ID } } } })}\`; for a confidential client, also \`clientSecret\`.`,
      'Run `opencode mcp auth toolgate`.',
    ],
  },
  {
    id: 'copilot_cli',
    title: 'Copilot CLI',
    type: 'public',
    redirect_uris: ['http://127.0.0.1/'],
    steps: (endpoint) => [
      `In ~/.copilot/mcp-config.json, enter \`${json({ mcpServers: { toolgate: { type: 'http', url: endpoint, tools: ['*'], oauthClientId: CLIENT_ID, oauthPublicClient: true } } })}\`.`,
      'Start Copilot CLI: it opens the browser.',
    ],
  },
  {
    id: 'chatgpt',
    title: 'ChatGPT',
    type: 'either',
    redirect_uris: [],
    steps: (endpoint) => [
      `Open Settings → Apps → Advanced settings, switch on Developer mode, choose Create app and enter ${endpoint}.`,
      'Choose OAuth, then User-defined OAuth client. It shows its Callback URL: register that one.',
      `Enter ${CLIENT_ID} as the OAuth Client ID; for a confidential client, also its secret.`,
    ],
  },
  {
    id: 'mcp_remote',
    title: 'mcp-remote',
    type: 'either',
    redirect_uris: ['http://localhost:3334/oauth/callback'],
    steps: (endpoint) => [
      `Start it with \`npx mcp-remote ${endpoint} 3334 --static-oauth-client-info '${json({ client_id: CLIENT_ID })}'\`; for a confidential client, also \`client_secret\`.`,
    ],
  },
  {
    id: 'inspector',
    title: 'MCP Inspector',
    type: 'either',
    redirect_uris: ['http://localhost:6274/oauth/callback', 'http://127.0.0.1:6274/oauth/callback'],
    steps: (endpoint) => [
      `Choose Add Servers → Add manually → streamable-http and enter ${endpoint}.`,
      `Open Settings → OAuth Settings, enter ${CLIENT_ID} as the Client ID, and connect.`,
      `On the command line, add \`--client-id ${CLIENT_ID}\`.`,
    ],
  },
];

/** Returns the known clients; `endpoint` is the URL of `/mcp`. */
export const oauthClientPresets = (endpoint: string): OAuthClientPreset[] =>
  presets.map(({ steps, ...preset }) => ({ ...preset, steps: steps(endpoint) }));

function json(value: object): string {
  return JSON.stringify(value).replaceAll(/([:,])(?=["{[])/g, '$1 ');
}

const PRIVATE_SCHEME = /^(?!https?:)([a-z][a-z0-9+.-]*):/;

/** Private URI schemes of the known clients; others must name a domain in reverse. */
export const knownSchemes: ReadonlySet<string> = new Set(
  presets.flatMap(({ redirect_uris }) =>
    redirect_uris.flatMap((uri) => PRIVATE_SCHEME.exec(uri)?.[1] ?? []),
  ),
);
