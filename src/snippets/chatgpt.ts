import type { McpClient } from './client.ts';

export const chatgpt: McpClient = {
  id: 'chatgpt',
  title: 'ChatGPT',
  configuration: (endpoint) => ({
    place: 'Settings → Apps & Connectors → Create (developer mode)',
    language: 'text',
    text: `MCP server URL: ${endpoint}\nAuthentication: OAuth`,
  }),
  instructionPlace: 'Settings → Personalization → Custom instructions, or those of a project',
  note: 'Connectors sign in with OAuth; they take no API key.',
};
