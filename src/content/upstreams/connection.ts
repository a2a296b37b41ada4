import type { Client, FetchLike, Tool } from '@modelcontextprotocol/client';
import type { Progress } from '../../catalog/catalog.ts';
import type { Outbound } from '../../platform/outbound/outbound.ts';
import { createRedaction } from '../tools/redaction.ts';
import { asUpstreamFailure, upstreamFailure } from './failure.ts';
import { listTools } from './list-tools.ts';
import { withProgress } from './progress.ts';
import { resultOf } from './result.ts';
import type { UpstreamResult } from './result.ts';
import type { UpstreamTool } from './schema.ts';
import { createUpstreamFetch } from './upstream-fetch.ts';

const OPENING_MS = 10_000;
const MAX_RESPONSES = 100;
const RECONNECTION = {
  initialReconnectionDelay: 500,
  maxReconnectionDelay: 5_000,
  reconnectionDelayGrowFactor: 2,
  maxRetries: 2,
};

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
  outbound: Pick<Outbound, 'open'>,
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
  const fetch = createUpstreamFetch(outbound, {
    fairnessKey: address.space_id,
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
    return {
      tools,
      isStale: () => isStale,
      close: () => close(client, transport),
      async call(name, input, { signal, timeoutMs, onProgress }) {
        try {
          const tool = tools.find((candidate) => candidate.name === name);
          if (tool === undefined) throw upstreamFailure('no longer has this tool.');
          const result = await withProgress({ onProgress, redaction }, (report) =>
            client.callTool(
              { name, arguments: { ...input } },
              {
                signal,
                timeout: timeoutMs,
                toolDefinition: definitionOf(tool),
                ...(report ? { onprogress: report } : {}),
              },
            ),
          );
          return await resultOf(result, redaction);
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

/**
 * Creates the client; loads the SDK on first use. The client declares no capabilities, so an
 * upstream must not send it requests.
 */
async function createClient(onToolsChanged: () => void): Promise<Client> {
  const { Client } = await import('@modelcontextprotocol/client');
  return new Client(
    { name: 'toolgate', version: '1' },
    {
      capabilities: {},
      versionNegotiation: { mode: 'auto' },
      inputRequired: { autoFulfill: false },
      listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: onToolsChanged } },
    },
  );
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
    // Enforces a minimum delay: `retry: 0` would otherwise mean reconnecting in a loop.
    reconnectionScheduler: (reconnect, delay) => {
      const timer = setTimeout(reconnect, Math.max(delay, RECONNECTION.initialReconnectionDelay));
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
