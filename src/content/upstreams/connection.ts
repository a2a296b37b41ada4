import type { Client, FetchLike, Tool } from '@modelcontextprotocol/client';
import type { Progress } from '../../catalog/catalog.ts';
import type { Outbound } from '../../platform/outbound/outbound.ts';
import { createRedaction } from '../tools/redaction.ts';
import { Interrupted } from './call-response.ts';
import { createDirectCalls } from './direct-call.ts';
import { asUpstreamFailure, upstreamFailure } from './failure.ts';
import { listTools } from './list-tools.ts';
import { OpenResponses } from './open-responses.ts';
import { createPassingOn } from './passing-on.ts';
import { withProgress } from './progress.ts';
import { resultOf } from './result.ts';
import type { UpstreamResult } from './result.ts';
import type { UpstreamTool } from './schema.ts';
import { requireToolResult } from './tool-result.ts';
import { createUpstreamFetch } from './upstream-fetch.ts';

const OPENING_MS = 10_000;
const MAX_RESPONSES = 100;
const RECONNECTION = {
  initialReconnectionDelay: 500,
  maxReconnectionDelay: 5_000,
  reconnectionDelayGrowFactor: 2,
  maxRetries: 2,
};

// Longer than an idle connection lives.
const MAX_RECONNECTION_MS = 60_000;

const CLIENT_INFO = { name: 'toolgate', version: '1' };
// Importing the SDK's constants would load it with the gateway.
const PROTOCOL_VERSION_META_KEY = 'io.modelcontextprotocol/protocolVersion';
const CLIENT_INFO_META_KEY = 'io.modelcontextprotocol/clientInfo';
const CLIENT_CAPABILITIES_META_KEY = 'io.modelcontextprotocol/clientCapabilities';

/** URL of an upstream, and the headers sent to it with every request. */
export interface UpstreamAddress {
  /** The space that turns of the event loop are counted for. */
  space_id: string;
  url: string;
  headers: Readonly<Record<string, string>>;
}

export interface CallOptions {
  signal: AbortSignal;
  timeoutMs: number;
  onProgress?: ((progress: Progress) => void) | undefined;
}

/**
 * A connection to an upstream of either protocol version, with the tools that it listed when it was
 * opened.
 */
export interface UpstreamConnection {
  tools: readonly UpstreamTool[];
  find(name: string): UpstreamTool | undefined;
  /** Rejects with `ToolFailure` or the signal's reason; an error of the tool itself is a result. */
  call(name: string, input: object, options: CallOptions): Promise<UpstreamResult>;
  /**
   * Whether the upstream announced a change of its tools or violated a limit: use a new connection.
   */
  isStale(): boolean;
  close(): Promise<void>;
}

/** The upstream no longer knows the session: nothing was executed, so a new one may be opened. */
export class SessionLost extends Error {}

/** Negotiates the protocol version and lists all tools within 10 s. Rejects with `ToolFailure`. */
export async function connectUpstream(
  address: UpstreamAddress,
  outbound: Pick<Outbound, 'open' | 'receive'>,
  openingMs = OPENING_MS,
  /** Called when the upstream first announces a change of its tools. */
  onToolsChanged = () => {},
): Promise<UpstreamConnection> {
  const broken = new AbortController();
  const deadline = AbortSignal.any([AbortSignal.timeout(openingMs), broken.signal]);
  const secrets = Object.values(address.headers).flatMap(secretsIn);
  const redaction = createRedaction(secrets, address.space_id);
  let isStale = false;
  let isOpen = false;
  const markStale = () => void (isStale = true);
  let isAnnounced = false;
  const client = await createClient(() => {
    markStale();
    if (!isAnnounced) onToolsChanged();
    isAnnounced = true;
  });
  const open = new OpenResponses();
  const fetch = createUpstreamFetch(outbound, {
    ...{ fairnessKey: address.space_id, open },
    listensForChanges: () => client.getServerCapabilities()?.tools?.listChanged === true,
    isOpening: () => !isOpen,
    onBroken: (error) => broken.abort(error),
  });
  const transport = await createTransport(address, fetch, markStale);
  try {
    const options = { signal: deadline, timeout: openingMs };
    await client.connect(transport, options);
    const tools = await listTools(client, options, address.space_id);
    isOpen = true;
    const byName = new Map(tools.map((tool) => [tool.name, tool]));
    const call = createCall({ address, outbound, open, client, transport, tools });
    return {
      tools,
      find: (name) => byName.get(name),
      isStale: () => isStale,
      async close() {
        call.close();
        await close(client, transport);
      },
      async call(name, input, { signal, timeoutMs, onProgress }) {
        try {
          const tool = byName.get(name);
          if (tool === undefined) throw upstreamFailure('no longer has this tool.');
          const { result, maxBytes } = await withProgress({ onProgress, redaction }, (report) =>
            call.run(tool, input, { signal, timeoutMs, onProgress: report }),
          );
          return await resultOf(result, redaction, maxBytes);
        } catch (error) {
          signal.throwIfAborted();
          if (isSessionLost(error, transport.sessionId)) throw new SessionLost();
          throw await asUpstreamFailure(error, redaction);
        }
      },
    };
  } catch (error) {
    await close(client, transport);
    throw await asUpstreamFailure(deadline.aborted ? deadline.reason : error, redaction);
  }
}

interface Opened {
  address: UpstreamAddress;
  outbound: Pick<Outbound, 'receive'>;
  open: OpenResponses;
  client: Client;
  transport: Awaited<ReturnType<typeof createTransport>>;
  tools: readonly UpstreamTool[];
}

/** Creates the call of a tool: a request of our own, or by the client what only the client can. */
function createCall({ address, outbound, open, client, transport, tools }: Opened) {
  const is2026 = client.getProtocolEra() === 'modern';
  const byClient = new Set(is2026 ? tools.filter(needsEncoding) : []);
  const direct = createDirectCalls({
    ...{ url: address.url, outbound, open },
    headers: headersOf(address, client, transport.sessionId),
    envelope: is2026 ? envelopeOf(client) : null,
    onOther: createPassingOn(address.space_id, (message) => transport.onmessage?.(message)),
    onGivenUp(requestId) {
      const params = { requestId };
      client.notification({ method: 'notifications/cancelled', params }).catch(() => {});
    },
  });

  const callByClient = async (
    tool: UpstreamTool,
    input: object,
    { signal, timeoutMs, onProgress, resumptionToken }: ClientCallOptions,
  ) => {
    const options = {
      ...{ signal, timeout: timeoutMs, toolDefinition: definitionOf(tool) },
      ...(onProgress ? { onprogress: onProgress } : {}),
      ...(resumptionToken === undefined ? {} : { resumptionToken }),
    };
    const params = { name: tool.name, arguments: { ...input } };
    return { result: await client.callTool(params, options), maxBytes: undefined };
  };

  return {
    close: direct.close,
    async run(tool: UpstreamTool, input: object, options: CallOptions) {
      if (byClient.has(tool)) return callByClient(tool, input, options);
      const until = performance.now() + options.timeoutMs;
      const { onProgress } = options;
      try {
        const received = await direct.call(tool.name, input, { ...options, onProgress });
        return { ...received, result: await requireToolResult(received.result, is2026) };
      } catch (error) {
        if (!(error instanceof Interrupted)) throw error;
        const timeoutMs = Math.max(1, until - performance.now());
        const resumptionToken = error.lastEventId;
        return callByClient(tool, input, { ...options, timeoutMs, resumptionToken });
      }
    },
  };
}

interface ClientCallOptions extends CallOptions {
  /** Resumes the stream of the same call after this event. */
  resumptionToken?: string;
}

function headersOf({ headers }: UpstreamAddress, client: Client, session: string | undefined) {
  const version = client.getNegotiatedProtocolVersion();
  return {
    ...headers,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    ...(version === undefined ? {} : { 'mcp-protocol-version': version }),
    ...(session === undefined ? {} : { 'mcp-session-id': session }),
    ...(client.getProtocolEra() === 'modern' ? { 'mcp-method': 'tools/call' } : {}),
  };
}

const envelopeOf = (client: Client) => ({
  [PROTOCOL_VERSION_META_KEY]: client.getNegotiatedProtocolVersion(),
  [CLIENT_INFO_META_KEY]: CLIENT_INFO,
  [CLIENT_CAPABILITIES_META_KEY]: {},
});

/** Whether its name or arguments may need an encoding in headers, which 2026's protocol repeats. */
const needsEncoding = ({ name, input_schema }: UpstreamTool): boolean =>
  !/^[\w./-]+$/.test(name) || JSON.stringify(input_schema).includes('"x-mcp-header"');

/**
 * Creates the client; loads the SDK on first use. The client declares no capabilities, so an
 * upstream must not send it requests.
 */
async function createClient(onToolsChanged: () => void): Promise<Client> {
  const { Client } = await import('@modelcontextprotocol/client');
  return new Client(CLIENT_INFO, {
    capabilities: {},
    versionNegotiation: { mode: 'auto' },
    inputRequired: { autoFulfill: false },
    listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: onToolsChanged } },
  });
}

async function createTransport(
  { url, headers }: UpstreamAddress,
  fetch: FetchLike,
  markStale: () => void,
) {
  const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client');
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    fetch,
    requestInit: { headers: { ...headers } },
    reconnectionOptions: RECONNECTION,
    // The server chooses the delay: `retry: 0`, or more than a timer takes, which Node.js reads as a
    // millisecond, would mean reconnecting in a loop.
    reconnectionScheduler: (reconnect, delay) => {
      const { initialReconnectionDelay: min } = RECONNECTION;
      const timer = setTimeout(reconnect, Math.min(Math.max(delay, min), MAX_RECONNECTION_MS));
      return () => clearTimeout(timer);
    },
  });
  const send = transport.send.bind(transport);
  let responses = 0;
  // Limits our responses to the upstream's requests (errors, except for a ping): after
  // `MAX_RESPONSES` no more are sent, and the connection becomes stale.
  transport.send = async (message, options) => {
    if (!('method' in message) && (responses += 1) > MAX_RESPONSES) return markStale();
    return send(message, options);
  };
  return transport;
}

/** Includes the value without its scheme: a server that echoes a header may leave out `Bearer`. */
const secretsIn = (header: string) => [header, header.replace(/^\S+ +/, '')];

/**
 * Includes the input schema, which determines the arguments that are repeated in headers, but not
 * the output schema, which the client would compile and enforce.
 */
const definitionOf = ({ name, input_schema }: UpstreamTool): Tool => ({
  name,
  inputSchema: input_schema as Tool['inputSchema'],
});

const isSessionLost = (error: unknown, sessionId: string | undefined) =>
  sessionId !== undefined && (error as { status?: unknown }).status === 404;

/** Closes the connection; first terminates the session at the upstream, within one second. */
async function close(
  client: Client,
  transport: { sessionId: string | undefined; terminateSession(): Promise<void> },
): Promise<void> {
  if (transport.sessionId !== undefined) {
    const ended = transport.terminateSession().catch(() => {});
    await Promise.race([ended, new Promise((resolve) => void setTimeout(resolve, 1_000).unref())]);
  }
  await client.close().catch(() => {});
}
