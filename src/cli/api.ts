import { setTimeout as sleep } from 'node:timers/promises';
import { OperatorError } from '../platform/errors/operator-error.ts';

// Responses are trusted to match the API reference; a missing field fails where it is read.
export type Api = <Answer>(method: string, path: string, body?: unknown) => Promise<Answer>;

/** Sends REST requests to a gateway; refusals and an unreachable gateway become one line. */
export function createApi(url: string, accessToken?: string): Api {
  return async (method, path, body) => {
    const response = await request(url, path, {
      method,
      headers: {
        ...(accessToken ? { authorization: `Bearer ${accessToken}` } : {}),
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

const request = (url: string, path: string, init: RequestInit): Promise<Response> =>
  fetch(new URL(path, url), init).catch(() => {
    throw new OperatorError(`Nothing responds at ${url}. Start the gateway with: npm start`);
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

/** Returns the names of the tools that a key sees, as an MCP client does. */
export async function listTools(url: string, key: string): Promise<string[]> {
  const method = 'tools/list';
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
      'x-api-key': key,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { _meta } }),
  });
  const answer = (await response.json()) as {
    result?: { tools: { name: string }[] };
    error?: { message: string };
  };
  if (!answer.result)
    throw new OperatorError(`POST /mcp: ${answer.error?.message ?? `status ${response.status}`}`);
  return answer.result.tools.map(({ name }) => name);
}
