import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { register } from './content.ts';
import type { OfferedContent } from './content.ts';
import type { SdkUpstream } from './sdk-v1.ts';
import { listen } from './server.ts';
import { offeredTools } from './tools.ts';

/** Starts a server with version 2 of the official SDK, for 2026-07-28 only. */
export async function startSdkV2(): Promise<SdkUpstream> {
  const tools = offeredTools();
  const content: OfferedContent = { prompts: {}, resources: {} };
  const handler = createMcpHandler(
    () => {
      const server = new McpServer(
        { name: 'upstream', version: '1' },
        { capabilities: { tools: { listChanged: true } } },
      );
      register(server, content, (shape) => z.object(shape));
      for (const [name, tool] of Object.entries(tools)) {
        const { title, description, inputSchema } = tool;
        server.registerTool(name, { title, description, inputSchema }, async (input, context) => {
          const token = context.mcpReq._meta?.progressToken;
          return tool.run(input, {
            headers: Object.fromEntries(context.http?.req?.headers ?? []),
            async progress(progress) {
              if (token === undefined) return;
              await context.mcpReq.notify({
                method: 'notifications/progress',
                params: { progressToken: token, progress },
              });
            },
            ask: () =>
              context.mcpReq.elicitInput({
                message: 'What?',
                requestedSchema: { type: 'object', properties: {} },
              }),
          });
        });
      }
      return server;
    },
    { legacy: 'reject' },
  );
  const handle = toNodeHandler(handler);
  const server = await listen((request, response) => void handle(request as never, response));
  return {
    ...server,
    tools,
    ...content,
    announcePrompts: () => handler.notify.promptsChanged(),
    announce: () => handler.notify.toolsChanged(),
    forget: () => {},
    async close() {
      await handler.close();
      await server.close();
    },
  };
}
