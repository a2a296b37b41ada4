import { setTimeout as sleep } from 'node:timers/promises';
import { OperatorError } from '../platform/errors/operator-error.ts';

// Responses are trusted to match the API reference; a missing field fails where it is read.
export type Api = <Answer>(method: string, path: string, body?: unknown) => Promise<Answer>;

/**
 * Sends REST requests to a gateway, with the header of a credential; refusals and an unreachable
 * gateway become one line.
 */
export function createApi(url: string, credential: Credential = {}): Api {
  return async (method, path, body) => {
    const response = await request(url, path, {
      method,
      headers: {
        ...credential,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const answer = text.startsWith('{') || text.startsWith('[') ? JSON.parse(text) : null;
    if (response.ok) return answer;
    const message = answer?.errors?.[0]?.message ?? `status ${response.status}`;
    throw new OperatorError(`${method} ${path}: ${message}`);
  };
}

/** The header with which a credential is sent. */
export type Credential = Readonly<Record<string, string>>;

const request = (url: string, path: string, init: RequestInit): Promise<Response> =>
  fetch(new URL(path, url), init).catch(() => {
    throw new OperatorError(
      `Nothing responds at ${url}. Start the gateway with npm start, or give its URL with --url.`,
    );
  });

const READY_MS = 30_000;

/** Waits until the gateway is ready, as it is soon after its start. */
export async function requireGateway(url: string): Promise<void> {
  for (const until = Date.now() + READY_MS; Date.now() < until; await sleep(500)) {
    const response = await request(url, '/health', {});
    const health = (await response.json().catch(() => null)) as { status?: string } | null;
    if (response.ok && health?.status === 'healthy') return;
    if (response.status !== 503) break;
  }
  throw new OperatorError('The server at that URL is not a healthy toolgate. Check its log.');
}

const PROTOCOL_VERSION = '2026-07-28';

/** Sends one MCP request, as an MCP client does; `credential` is its header. */
async function askMcp<Result>(
  url: string,
  credential: Record<string, string>,
  method: string,
  params: { name?: string; [field: string]: unknown } = {},
): Promise<Result> {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': PROTOCOL_VERSION,
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const response = await request(url, '/mcp', {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': PROTOCOL_VERSION,
      'mcp-method': method,
      ...(params.name === undefined ? {} : { 'mcp-name': params.name }),
      ...credential,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } }),
  });
  const answer = (await response.json()) as { result?: Result; error?: { message: string } };
  if (!answer.result)
    throw new OperatorError(`POST /mcp: ${answer.error?.message ?? `status ${response.status}`}`);
  return answer.result;
}

/** Returns the names of the tools that a key sees. */
export async function listTools(url: string, key: string): Promise<string[]> {
  interface Listed {
    tools: { name: string }[];
  }
  const { tools } = await askMcp<Listed>(url, { 'x-api-key': key }, 'tools/list');
  return tools.map(({ name }) => name);
}

/** Calls a tool with an OAuth access token, and returns its structured result. */
export async function callTool(
  url: string,
  accessToken: string,
  call: { name: string; arguments: object },
): Promise<unknown> {
  interface Called {
    isError?: boolean;
    structuredContent: { error?: { message: string } };
  }
  const credential = { authorization: `Bearer ${accessToken}` };
  const called = await askMcp<Called>(url, credential, 'tools/call', call);
  const { isError, structuredContent } = called;
  if (isError) throw new OperatorError(`${call.name}: ${structuredContent.error?.message}`);
  return structuredContent;
}
