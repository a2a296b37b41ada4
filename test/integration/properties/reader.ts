import { absentCode } from '../../oracle/reach.ts';
import type { Bootstrap, OracleOutcome } from '../../oracle/reach.ts';
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

const URI = 'toolgate://me/';

// On a busy machine a dependency may time out and the request be refused; not tested here.
const TRIES = 10;
const isUnavailable = ({ status, body: { error } }: McpResponse) =>
  status === 503 || error?.code === -32603 || error?.data?.code === 'session_required';

/**
 * Creates an MCP client of one protocol version for a key; it records every response in `responses`.
 */
export function createReader(secret: string, era: Era) {
  const responses: string[] = [];
  let session: Promise<string> | null = null;

  async function exchange(
    at: Gateway,
    method: string,
    params: Record<string, unknown>,
  ): Promise<McpResponse> {
    const once = era === '2026' ? modern : legacy;
    for (let tries = 1; ; tries += 1) {
      const response = await once(at, method, params);
      responses.push(response.text);
      if (!isUnavailable(response) || tries === TRIES) return response;
    }
  }

  async function modern(at: Gateway, method: string, params: Record<string, unknown>) {
    const { uri } = params;
    const headers = {
      'x-api-key': secret,
      ...(typeof uri === 'string' ? { 'mcp-name': uri } : {}),
    };
    const { status, body } = await ask(`${at.url}/mcp`, headers, method, params);
    return { status, body: body as Body, text: JSON.stringify(body) };
  }

  async function legacy(at: Gateway, method: string, params: Record<string, unknown>) {
    const endpoint = `${at.url}/mcp`;
    session ??= openSession(endpoint, secret);
    const id = await session.catch(() => {
      // A refused key is refused again below; after an outage a new session is opened.
      session = null;
      return undefined;
    });
    const response = await send(endpoint, secret, { session: id, body: request(method, params) });
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
    const text = isStream ? await lastOf(response) : await response.text();
    return { status: response.status, body: JSON.parse(text) as Body, text };
  }

  /** Returns the sorted names of a list, or null if the credential is refused. */
  async function list(at: Gateway, family: 'tools' | 'prompts' | 'resources') {
    const names: string[] = [];
    let cursor: string | undefined;
    do {
      const params = cursor === undefined ? {} : { cursor };
      const response = await exchange(at, `${family}/list`, params);
      if (response.status === 401) return null;
      const { result } = response.body;
      if (result?.[family] === undefined) throw new Error(`${family}/list: ${response.text}`);
      for (const item of result[family])
        names.push('uri' in item ? item.uri.replace(URI, '') : item.name);
      cursor = result.nextCursor;
    } while (cursor !== undefined);
    return names.toSorted();
  }

  /** Returns the outcome of a request in the oracle's terms; throws on any other response. */
  async function outcome(at: Gateway, method: string, params: Record<string, unknown>) {
    return outcomeOf(await exchange(at, method, params), era, method);
  }

  return {
    era,
    responses,
    exchange,
    list,
    outcome,
    call: (at: Gateway, name: string, args: object) =>
      outcome(at, 'tools/call', { name, arguments: args }),
    get: (at: Gateway, name: string, args: object = {}) =>
      outcome(at, 'prompts/get', { name, arguments: args }),
    read: (at: Gateway, path: string) => outcome(at, 'resources/read', { uri: `${URI}${path}` }),
    /** Returns the response of `bootstrap` in the oracle's terms. */
    async bootstrap(at: Gateway, input: Bootstrap) {
      const response = await exchange(at, 'tools/call', { name: 'bootstrap', arguments: input });
      const outcomeName = outcomeOf(response, era, 'tools/call');
      if (outcomeName !== 'runs') return outcomeName;
      const { agent, catalog } = response.body.result!.structuredContent!;
      const { status, agents } = catalog!;
      const names = agents?.map(({ name }) => name).toSorted();
      return { agent, catalog: names === undefined ? { status } : { status, agents: names } };
    },
    /** Returns the component names from `agent_context`, or its status if there are none. */
    async context(at: Gateway, name: string, components: readonly string[]) {
      const response = await exchange(at, 'tools/call', {
        name: 'agent_context',
        arguments: { name, components },
      });
      const outcomeName = outcomeOf(response, era, 'tools/call');
      const given = response.body.result?.structuredContent;
      if (outcomeName !== 'runs') return outcomeName;
      return given?.status ?? given?.components?.map((one) => one.name);
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
  if (status === 200 && error === undefined && result?.isError !== true) return 'runs';
  throw new Error(`${method}: ${status} ${text}`);
}

/** Returns the last event of a stream, which is the response; earlier ones report progress. */
async function lastOf(response: Response): Promise<string> {
  const events = eventReader(response);
  let last = '';
  for (let event = await events.next(); event !== null; event = await events.next())
    if (event.data !== '') last = event.data;
  return last;
}
