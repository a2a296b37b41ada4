import { KEY_PLACE } from './client.ts';
import type { McpClient } from './client.ts';

export const claudeCode: McpClient = {
  id: 'claude_code',
  title: 'Claude Code',
  configuration: (endpoint) => ({
    place: 'a terminal',
    language: 'shell',
    text:
      'claude mcp add --transport http toolgate ' +
      `${endpoint} --header "X-API-Key: ${KEY_PLACE}"`,
  }),
  instructionPlace: 'the file CLAUDE.md of the project, or ~/.claude/CLAUDE.md for all projects',
  note: null,
};
