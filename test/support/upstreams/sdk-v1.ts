import { randomUUID } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { register } from './content.ts';
import type { OfferedContent } from './content.ts';
import { listen } from './server.ts';
import type { UpstreamServer } from './server.ts';
import { offeredTools } from './tools.ts';
import type { OfferedTool } from './tools.ts';

/** An upstream server whose tools a test may change; it has prompts and resources if one adds them. */
export interface SdkUpstream extends UpstreamServer, OfferedContent {
  tools: Record<string, OfferedTool>;
  /** Notifies every client that the tools changed. */
  announce(): void;
  /** Notifies every client that the prompts changed. */
  announcePrompts(): void;
  /** Forgets all sessions. */
  forget(): void;
}

/** Responds to a request that is not for the MCP server, and then returns true. */
export type Intercept = (request: IncomingMessage, response: ServerResponse) => Promise<boolean>;

/** Starts a server with version 1 of the official SDK, with sessions. */
export async function startSdkV1(intercept: Intercept = async () => false): Promise<SdkUpstream> {
  const tools = offeredTools();
  const content: OfferedContent = { prompts: {}, resources: {} };
  const sessions = new Map<
    string,
    { server: McpServer; transport: StreamableHTTPServerTransport }
  >();

  async function begin() {
    const server = createMcpServer(tools, content);
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void sessions.set(id, { server, transport }),
      onsessionclosed: (id) => void sessions.delete(id),
    });
    await server.connect(transport);
    return transport;
  }

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (await intercept(request, response)) return;
    const id = request.headers['mcp-session-id'];
    const session = typeof id === 'string' ? sessions.get(id) : undefined;
    if (id !== undefined && session === undefined) {
      response.writeHead(404).end();
      return;
    }
    const transport = session?.transport ?? (await begin());
    await transport.handleRequest(request, response);
  }
  const handle: RequestListener = (request, response) => void respond(request, response);
  const server = await listen(handle);
  return {
    ...server,
    tools,
    ...content,
    announcePrompts: () => sessions.forEach((session) => session.server.sendPromptListChanged()),
    announce: () => sessions.forEach((session) => session.server.sendToolListChanged()),
    forget: () => sessions.clear(),
  };
}

function createMcpServer(
  tools: Readonly<Record<string, OfferedTool>>,
  content: OfferedContent,
): McpServer {
  const server = new McpServer({ name: 'upstream', version: '1' });
  register(server, content, (shape) => shape);
  for (const [name, tool] of Object.entries(tools)) {
    const { title, description, inputSchema } = tool;
    server.registerTool(name, { title, description, inputSchema }, async (input, extra) => {
      const token = extra._meta?.progressToken;
      return tool.run(input, {
        headers: extra.requestInfo?.headers ?? {},
        async progress(progress) {
          if (token === undefined) return;
          await extra.sendNotification({
            method: 'notifications/progress',
            params: { progressToken: token, progress },
          });
        },
        ask: () =>
          server.server.elicitInput({
            message: 'What?',
            requestedSchema: { type: 'object', properties: {} },
          }),
      });
    });
  }
  return server;
}
