import type { McpClient } from './client.ts';

export const chatgpt: McpClient = {
  id: 'chatgpt',
  title: 'ChatGPT',
  // Its connectors sign in with OAuth alone.
  configuration: null,
  instructionPlace: 'Settings → Personalization → Custom instructions, or those of a project',
  note: 'Its connectors take no API key, so it cannot be connected yet.',
};
