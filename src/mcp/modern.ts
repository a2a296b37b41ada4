import type { IncomingMessage, ServerResponse } from 'node:http';
import { SERVER_INFO_META_KEY } from '@modelcontextprotocol/server';
import { CLIENT_CAPABILITIES_META_KEY, CLIENT_INFO_META_KEY } from '@modelcontextprotocol/server';
import type { ServerInfo } from './protocol/advertised.ts';
import { capabilities, instructions } from './protocol/advertised.ts';
import type {
  Call,
  ClientInfo,
  ErrorReply,
  MessageId,
  ProtocolError,
  Reply,
} from './protocol/call.ts';
import { writeCached, writeReply } from './protocol/call.ts';
import { CancellationSource } from './protocol/cancellation.ts';
import type { Dispatch, Methods } from './protocol/dispatch.ts';
import { MODERN_VERSION } from './protocol/era.ts';
import type { RequestMessage } from './protocol/era.ts';
import { methodNotFound } from './protocol/errors.ts';
import { findHeaderMismatch, HEADER_MISMATCH } from './protocol/headers.ts';
import { retryAfter, sendEmpty, sendError, sendCached, sendText } from './protocol/http.ts';
import type { McpRequest, ListenHandler } from './protocol/handler.ts';
import { createReplyStream } from './protocol/reply-stream.ts';
import type { ReplyStream } from './protocol/reply-stream.ts';

const UNSUPPORTED_VERSION = -32022;
const MISSING_CLIENT_CAPABILITY = -32021;
const LISTEN = 'subscriptions/listen';

/** How long clients may cache a response; always privately, since it depends on the credential. */
const lifetimesMs: Readonly<Record<string, number>> = {
  'server/discover': 300_000,
  'tools/list': 30_000,
  'prompts/list': 30_000,
  'resources/list': 30_000,
  'resources/templates/list': 30_000,
  'resources/read': 0,
};

/** Methods that exist only in the 2026 version. */
export const modernMethods: Methods = {
  'server/discover': () => ({
    result: { supportedVersions: [MODERN_VERSION], capabilities, instructions },
  }),
};

export interface ModernDependencies {
  dispatch: Dispatch;
  serverInfo: ServerInfo;
  openListen: ListenHandler;
}

export interface ModernMessage {
  message: RequestMessage | null;
  version: string;
}

/** Creates the stateless handler of 2026-07-28: ordered checks, then the dispatch (mcp.md 4). */
export function createModern({ dispatch, serverInfo, openListen }: ModernDependencies) {
  const meta = `"_meta":${JSON.stringify({ [SERVER_INFO_META_KEY]: serverInfo })},`;
  const plainFields = `"resultType":"complete",${meta}`;
  const fieldsByMethod = new Map(
    Object.entries(lifetimesMs).map(([method, ttlMs]) => [
      method,
      `"resultType":"complete","ttlMs":${ttlMs},"cacheScope":"private",${meta}`,
    ]),
  );

  function findFault(request: IncomingMessage, message: RequestMessage, version: string) {
    if (version !== MODERN_VERSION) return { status: 400, error: unsupportedVersion(version) };
    const { method, params } = message;
    const mismatch = findHeaderMismatch(request.headers, { version, method, params });
    if (mismatch !== null) return { status: 400, error: mismatch };
    const isKnown = method === LISTEN || dispatch.has(method, '2026');
    return isKnown ? null : { status: 404, error: methodNotFound };
  }

  async function handle(
    request: IncomingMessage,
    response: ServerResponse,
    context: McpRequest,
    { message, version }: ModernMessage,
  ): Promise<void> {
    if (message === null) return sendEmpty(response, 202);
    const fault = findFault(request, message, version);
    const { id, method } = message;
    if (fault !== null) return sendError(response, fault.status, fault.error, { id });

    const cancellation = new CancellationSource();
    // A client of this version cancels by closing the response.
    response.on('close', () => {
      if (!response.writableFinished) cancellation.cancel();
    });
    let stream: ReplyStream | undefined;
    const call: Call = {
      era: '2026',
      call_id: context.request_id,
      request_id: context.request_id,
      version,
      id,
      method,
      params: message.params,
      caller: context.caller,
      read_at: context.read_at,
      address: context.address,
      view: context.view,
      identify: context.identify,
      authorize: context.authorize,
      client: clientOf(message.params),
      cancellation,
      notify(notification) {
        stream ??= createReplyStream(response);
        stream.notify(notification);
      },
      headers: request.headers,
    };
    if (method === LISTEN) return openListen(call, response);
    const reply = await dispatch(call);
    if ('unauthenticated' in reply && !stream?.isOpen()) throw reply.unauthenticated;
    const fields = fieldsOf(method, reply);
    if (stream?.isOpen()) stream.end(writeReply(id, reply, fields));
    else if ('cached' in reply) sendCached(response, writeCached(id, reply.cached, fields));
    else if ('error' in reply)
      sendError(response, statusOf(reply), reply.error, answerTo(id, reply));
    else sendText(response, 200, writeReply(id, reply, fields));
  }

  /** Returns the members to add to a result; an incomplete one sets `resultType` itself. */
  function fieldsOf(method: string, reply: Reply): string {
    if ('result' in reply && 'resultType' in reply.result) return meta;
    return fieldsByMethod.get(method) ?? plainFields;
  }

  return { handle };
}

/**
 * Returns 200 for handler errors, 503 for outages, and 400 for the two request errors a tool can
 * detect late.
 */
function statusOf({ error, retryAfterSeconds }: ErrorReply): number {
  if (retryAfterSeconds !== undefined) return 503;
  return [HEADER_MISMATCH, MISSING_CLIENT_CAPABILITY].includes(error.code) ? 400 : 200;
}

const answerTo = (id: MessageId, { retryAfterSeconds }: ErrorReply) => ({
  id,
  headers: retryAfter(retryAfterSeconds),
});

const unsupportedVersion = (requested: string): ProtocolError => ({
  code: UNSUPPORTED_VERSION,
  message: `Unsupported protocol version: ${requested}`,
  data: { supported: [MODERN_VERSION], requested },
});

// `routeMessage` has validated the envelope.
function clientOf(params: RequestMessage['params']): ClientInfo {
  const meta = params['_meta'] as Readonly<Record<string, unknown>>;
  const info = meta[CLIENT_INFO_META_KEY] as { name: string; version: string } | undefined;
  return {
    name: info?.name ?? null,
    version: info?.version ?? null,
    capabilities: meta[CLIENT_CAPABILITIES_META_KEY] as ClientInfo['capabilities'],
  };
}
