import { json } from './client.ts';
import type { McpClient } from './client.ts';

export const geminiCli: McpClient = {
  id: 'gemini_cli',
  title: 'Gemini CLI',
  configuration: (endpoint) => ({
    place: '~/.gemini/settings.json, or .gemini/settings.json of the project',
    language: 'json',
    text: json({
      mcpServers: { toolgate: { httpUrl: endpoint, headers: { 'X-API-Key': '$TOOLGATE_KEY' } } },
    }),
  }),
  instructionPlace: 'the file GEMINI.md of the project, or ~/.gemini/GEMINI.md for all projects',
  note: 'The key is read from the environment variable TOOLGATE_KEY.',
};
