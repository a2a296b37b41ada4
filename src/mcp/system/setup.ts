import { systemTools } from '../../catalog/catalog.ts';
import { clientById, clientIds, installInstruction } from '../../snippets/snippets.ts';
import { readOnly } from './system-tool.ts';
import type { SystemTool } from './system-tool.ts';

/** Creates `setup`, which returns one client's persistent instruction, without secrets (A9). */
export function createSetup(publicUrl: string): SystemTool {
  return {
    id: systemTools.setup,
    name: 'setup',
    title: 'Set up this client',
    description:
      'Returns the persistent task-start instruction to install in the client. Call it only when ' +
      'the user explicitly asks to set up, install, repair or update this connection.',
    version: '1',
    input_schema: {
      type: 'object',
      properties: {
        client: {
          type: 'string',
          enum: clientIds,
          description: 'The client the instruction is for; `other` if it is not listed.',
        },
      },
      additionalProperties: false,
    },
    output_schema: {
      type: 'object',
      properties: {
        client: { type: 'string', enum: clientIds },
        instruction: { type: 'string' },
      },
      required: ['client', 'instruction'],
    },
    annotations: readOnly,
    async prepare(_call, { client }) {
      const chosen = clientById(client);
      return () => ({
        client: chosen.id,
        instruction: installInstruction(chosen, `${publicUrl}/mcp`),
      });
    },
  };
}
