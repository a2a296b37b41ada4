import type { McpClient } from './client.ts';

export const codex: McpClient = {
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
};
