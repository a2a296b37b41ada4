import { json } from './client.ts';
import type { McpClient } from './client.ts';

export const vscode: McpClient = {
  id: 'vscode',
  title: 'VS Code',
  configuration: (endpoint) => ({
    place: '.vscode/mcp.json',
    language: 'json',
    text: json({
      inputs: [
        { type: 'promptString', id: 'toolgate-key', description: 'Toolgate key', password: true },
      ],
      servers: {
        toolgate: {
          type: 'http',
          url: endpoint,
          headers: { 'X-API-Key': '${input:toolgate-key}' },
        },
      },
    }),
  }),
  instructionPlace: 'the file .github/copilot-instructions.md of the project',
  note: 'VS Code asks for the key once and keeps it; it is not written into the file.',
};
