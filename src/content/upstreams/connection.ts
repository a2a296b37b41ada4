import type { Client, Tool } from '@modelcontextprotocol/client';
import type { Outbound } from '../../platform/outbound/outbound.ts';
import { createRedaction } from '../tools/redaction.ts';
import type { CallOptions, UpstreamAddress } from './address.ts';
import { Interrupted } from './call-response.ts';
import { ConnectionState } from './connection-state.ts';
import { createContentConnection } from './content/connection.ts';
import type { ContentConnection } from './content/connection.ts';
import { createDirectCalls } from './direct-call.ts';
import { asUpstreamFailure, upstreamFailure } from './failure.ts';
import { listTools } from './list-tools.ts';
import { OpenResponses } from './open-responses.ts';
import { createPassingOn } from './passing-on.ts';
import { withProgress } from './progress.ts';
import { resultOf } from './result.ts';
import type { UpstreamResult } from './result.ts';
import type { UpstreamTool } from './schema.ts';
import { close, createTransport } from './transport.ts';
import type { UpstreamTransport } from './transport.ts';
import { requireToolResult } from './tool-result.ts';
import { createUpstreamFetch } from './upstream-fetch.ts';

const OPENING_MS = 10_000;

const CLIENT_INFO = { name: 'toolgate', version: '1' };
// Importing the SDK's constants would load it with the gateway.
const PROTOCOL_VERSION_META_KEY = 'io.modelcontextprotocol/protocolVersion';
const CLIENT_INFO_META_KEY = 'io.modelcontextprotocol/clientInfo';
const CLIENT_CAPABILITIES_META_KEY = 'io.modelcontextprotocol/clientCapabilities';

/**
 * A connection to an upstream of either protocol version, with the tools that it listed when it was
 * opened.
 */
export interface UpstreamConnection {
  tools: readonly UpstreamTool[];
  find(name: string): UpstreamTool | undefined;
  /** Rejects with `ToolFailure` or the signal's reason; an error of the tool itself is a result. */
  call(name: string, input: object, options: CallOptions): Promise<UpstreamResult>;
  content: ContentConnection;
  /**
   * Whether the upstream announced a change of its lists or violated a limit: use a new connection.
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
  /** Called when the upstream first announces a change of its tools, prompts or resources. */
  onListChanged = () => {},
): Promise<UpstreamConnection> {
  const secrets = Object.values(address.headers).flatMap(secretsIn);
  const redaction = createRedaction(secrets, address.space_id);
  const state = new ConnectionState(openingMs);
  let isAnnounced = false;
  const client = await createClient(() => {
    state.markStale();
    if (!isAnnounced) onListChanged();
    isAnnounced = true;
  });
  const open = new OpenResponses();
  const fetch = createUpstreamFetch(outbound, {
    ...{ fairnessKey: address.space_id, open },
    listensForChanges: () => listensForChanges(client),
    isListing: () => state.isListing,
    onBroken: state.end,
  });
  const transport = await createTransport(address, fetch, state.markStale);
  try {
    const tools = await state.list(async (options) => {
      await client.connect(transport, options);
      return listTools(client, options, address.space_id);
    });
    const byName = new Map(tools.map((tool) => [tool.name, tool]));
    const call = createCall({ address, outbound, open, client, transport, tools });
    const failureOf = async (error: unknown, signal?: AbortSignal) => {
      signal?.throwIfAborted();
      if (isSessionLost(error, transport.sessionId)) return new SessionLost();
      return asUpstreamFailure(error, redaction);
    };
    return {
      tools,
      find: (name) => byName.get(name),
      content: createContentConnection({
        ...{ client, redaction, failureOf, fairnessKey: address.space_id, direct: call.direct },
        list: (work) => state.list(work),
      }),
      isStale: () => state.isStale,
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
          throw await failureOf(error, signal);
        }
      },
    };
  } catch (error) {
    await close(client, transport);
    throw await asUpstreamFailure(error, redaction);
  }
}

interface Opened {
  address: UpstreamAddress;
  outbound: Pick<Outbound, 'receive'>;
  open: OpenResponses;
  client: Client;
  transport: UpstreamTransport;
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
    direct: direct.call,
    async run(tool: UpstreamTool, input: object, options: CallOptions) {
      if (byClient.has(tool)) return callByClient(tool, input, options);
      const until = performance.now() + options.timeoutMs;
      const { onProgress } = options;
      try {
        const params = { name: tool.name, arguments: input };
        const request = { method: 'tools/call', name: tool.name, params } as const;
        const received = await direct.call(request, { ...options, onProgress });
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
async function createClient(onListChanged: () => void): Promise<Client> {
  const { Client } = await import('@modelcontextprotocol/client');
  const heard = { autoRefresh: false, debounceMs: 0, onChanged: onListChanged };
  return new Client(CLIENT_INFO, {
    capabilities: {},
    versionNegotiation: { mode: 'auto' },
    inputRequired: { autoFulfill: false },
    listChanged: { tools: heard, prompts: heard, resources: heard },
  });
}

function listensForChanges(client: Client): boolean {
  const { tools, prompts, resources } = client.getServerCapabilities() ?? {};
  return [tools, prompts, resources].some((family) => family?.listChanged === true);
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
