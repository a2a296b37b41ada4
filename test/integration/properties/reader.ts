import type { Bootstrap, OracleOutcome } from '../../oracle/reach.ts';
import { credentialHeader } from '../../support/clients/credential-header.ts';
import type { Gateway } from '../../support/worlds/world.ts';
import { ask } from '../mcp/key-holder.ts';
import { eventReader, openSession, request, send } from '../mcp/legacy/client.ts';

export type Era = '2025' | '2026';

/** A complete response over MCP. */
export interface McpResponse {
  status: number;
  body: Body;
  text: string;
}

interface Body {
  result?: Result;
  error?: { code: number; message: string; data?: { code?: string } };
}

interface Result {
  tools?: { name: string }[];
  prompts?: { name: string }[];
  resources?: { uri: string }[];
  nextCursor?: string;
  isError?: boolean;
  structuredContent?: {
    error?: { code: string };
    status?: string;
    agent?: { status: string; name?: string; components?: string[] };
    catalog?: { status: string; agents?: { name: string }[] };
    components?: { name: string; content: string }[];
  };
}

// On a busy machine a dependency may time out, and the request is refused; it is then retried.
const TRIES = 10;
const isUnavailable = ({ status, body: { error } }: McpResponse) =>
  status === 503 || error?.code === -32603 || error?.data?.code === 'session_required';

/**
 * Creates an MCP client of one protocol version for a key or a token; it records every response in `responses`.
 * Resources are named by the rest of their URI after `root`.
 */
export function createReader(secret: string, era: Era, root = 'toolgate://me/') {
  const responses: string[] = [];
  let session: Promise<string> | null = null;

  async function exchange(
    gateway: Gateway,
    method: string,
    params: Record<string, unknown>,
  ): Promise<McpResponse> {
    const exchangeOnce = era === '2026' ? modern : legacy;
    for (let tries = 1; ; tries += 1) {
      const response = await exchangeOnce(gateway, method, params);
      responses.push(response.text);
      if (!isUnavailable(response) || tries === TRIES) return response;
    }
  }

  async function modern(gateway: Gateway, method: string, params: Record<string, unknown>) {
    const { uri } = params;
    const headers = {
      ...credentialHeader(secret),
      ...(typeof uri === 'string' ? { 'mcp-name': uri } : {}),
    };
    const { status, body } = await ask(`${gateway.url}/mcp`, headers, method, params);
    return { status, body: body as Body, text: JSON.stringify(body) };
  }

  async function legacy(gateway: Gateway, method: string, params: Record<string, unknown>) {
    const endpoint = `${gateway.url}/mcp`;
    session ??= openSession(endpoint, secret);
    const id = await session.catch(() => {
      // A refused key is refused again below; after an outage, the next request opens a new session.
      session = null;
      return undefined;
    });
    const response = await send(endpoint, secret, { session: id, body: request(method, params) });
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
    const text = isStream ? await lastEventOf(response) : await response.text();
    return { status: response.status, body: JSON.parse(text) as Body, text };
  }

  /** Returns the sorted names of a list, or null if the credential is refused. */
  async function list(gateway: Gateway, family: 'tools' | 'prompts' | 'resources') {
    const names: string[] = [];
    let cursor: string | undefined;
    do {
      const params = cursor === undefined ? {} : { cursor };
      const response = await exchange(gateway, `${family}/list`, params);
      if (response.status === 401) return null;
      const { result } = response.body;
      if (result?.[family] === undefined) throw new Error(`${family}/list: ${response.text}`);
      for (const item of result[family])
        names.push('uri' in item ? item.uri.replace(root, '') : item.name);
      cursor = result.nextCursor;
    } while (cursor !== undefined);
    return names.toSorted();
  }

  /** Returns the outcome of a request in the oracle's terms; throws on any other response. */
  async function outcome(gateway: Gateway, method: string, params: Record<string, unknown>) {
    return outcomeOf(await exchange(gateway, method, params), era, method);
  }

  return {
    era,
    responses,
    exchange,
    list,
    outcome,
    call: (gateway: Gateway, name: string, args: object) =>
      outcome(gateway, 'tools/call', { name, arguments: args }),
    get: (gateway: Gateway, name: string, args: object = {}) =>
      outcome(gateway, 'prompts/get', { name, arguments: args }),
    read: (gateway: Gateway, path: string) =>
      outcome(gateway, 'resources/read', { uri: `${root}${path}` }),
    /** Returns the response of `bootstrap` in the oracle's terms. */
    async bootstrap(gateway: Gateway, input: Bootstrap) {
      const response = await exchange(gateway, 'tools/call', {
        name: 'bootstrap',
        arguments: input,
      });
      const outcomeName = outcomeOf(response, era, 'tools/call');
      if (outcomeName !== 'runs') return outcomeName;
      const { agent, catalog } = response.body.result!.structuredContent!;
      const { status, agents } = catalog!;
      const names = agents?.map(({ name }) => name).toSorted();
      return { agent, catalog: names === undefined ? { status } : { status, agents: names } };
    },
    /** Returns the component names from `agent_context`, or its status if there are none. */
    async context(gateway: Gateway, name: string, components: readonly string[]) {
      const response = await exchange(gateway, 'tools/call', {
        name: 'agent_context',
        arguments: { name, components },
      });
      const outcomeName = outcomeOf(response, era, 'tools/call');
      const content = response.body.result?.structuredContent;
      if (outcomeName !== 'runs') return outcomeName;
      return content?.status ?? content?.components?.map((one) => one.name);
    },
  };
}
export type Reader = ReturnType<typeof createReader>;

function outcomeOf({ status, body, text }: McpResponse, era: Era, method: string): OracleOutcome {
  if (status === 401) return 'unauthenticated';
  const { error, result } = body;
  // An absent item's error has no further data (spec.md, MCP errors).
  if (error?.code === absentCode(era, method) && !('data' in error)) return 'method_not_found';
  const code = result?.structuredContent?.error?.code;
  if (code === 'capability_denied' || code === 'tool_not_permitted') return code;
  // On a busy machine a tool may time out, but then it was allowed and ran.
  const ran = result?.isError !== true || code === 'timed_out';
  if (status === 200 && error === undefined && ran) return 'runs';
  throw new Error(`${method}: ${status} ${text}`);
}

/** Returns the error code of an absent item: resources differ in version 2026 (decisions 5). */
const absentCode = (era: Era, method: string): number =>
  era === '2026' && method === 'resources/read' ? -32602 : -32601;

/** Returns the last event of a stream, which is the response; earlier ones report progress. */
async function lastEventOf(response: Response): Promise<string> {
  const events = eventReader(response);
  let last = '';
  for (let event = await events.next(); event !== null; event = await events.next())
    if (event.data !== '') last = event.data;
  return last;
}
