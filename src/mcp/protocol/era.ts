import type { IncomingHttpHeaders } from 'node:http';
import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  classifyInboundRequest,
  LOG_LEVEL_META_KEY,
  PROTOCOL_VERSION_META_KEY,
} from '@modelcontextprotocol/server';
import type { MessageId, ProtocolError } from './call.ts';
import { INVALID_REQUEST } from './errors.ts';

export const MODERN_VERSION = '2026-07-28';
const BATCH_MESSAGES = 50;

export interface RequestMessage {
  id: string | number;
  method: string;
  params: Readonly<Record<string, unknown>>;
}

/** Destination of a POST. `modern` without a message is a notification, which is ignored. */
export type Route =
  | { to: 'modern'; message: RequestMessage | null; version: string }
  | { to: 'legacy' }
  | { to: 'reject'; status: number; id: MessageId; error: ProtocolError };

type Fields = Readonly<Record<string, unknown>>;

/**
 * Routes a message to its protocol version; its body takes precedence over its headers (mcp.md 2).
 * Well-formed requests, which nearly all are, are recognized here; the SDK's classification, which
 * is ten times slower, decides all others.
 */
export function routeMessage(body: unknown, headers: IncomingHttpHeaders): Route {
  const header = single(headers['mcp-protocol-version']);
  if (isCleanRequest(body)) {
    const meta = body.params?.['_meta'] as Fields | undefined;
    const claims = meta !== undefined && PROTOCOL_VERSION_META_KEY in meta;
    const namesModern = header !== undefined && header >= MODERN_VERSION;
    if (!claims && !namesModern && isPlainMeta(meta)) return { to: 'legacy' };
    if (claims && header === MODERN_VERSION && isCleanEnvelope(meta)) {
      if (headers['mcp-method'] === body.method)
        return { to: 'modern', message: body as RequestMessage, version: MODERN_VERSION };
    }
  }
  return routeWithSdk(body, headers, header);
}

function routeWithSdk(
  body: unknown,
  headers: IncomingHttpHeaders,
  header: string | undefined,
): Route {
  if (Array.isArray(body) && body.length > BATCH_MESSAGES) return rejectBatch();
  const method = single(headers['mcp-method']);
  const outcome = classifyInboundRequest({
    httpMethod: 'POST',
    body,
    ...(header === undefined ? {} : { protocolVersionHeader: header }),
    ...(method === undefined ? {} : { mcpMethodHeader: method }),
  });
  if (outcome.kind === 'legacy') return { to: 'legacy' };
  if (outcome.kind === 'modern')
    return {
      to: 'modern',
      version: outcome.classification.revision ?? header ?? MODERN_VERSION,
      message: outcome.messageKind === 'request' ? asRequest(outcome.message) : null,
    };
  const { code, message, data } = outcome;
  const error = data === undefined ? { code, message } : { code, message, data: data as Fields };
  return { to: 'reject', status: outcome.httpStatus, id: idOf(body), error };
}

const rejectBatch = (): Route => ({
  to: 'reject',
  status: 400,
  id: null,
  error: { code: INVALID_REQUEST, message: `A batch must have 1 to ${BATCH_MESSAGES} messages` },
});

const asRequest = (message: { id: string | number; method: string; params?: unknown }) => ({
  id: message.id,
  method: message.method,
  params: (message.params ?? {}) as Fields,
});

/** Returns the id of a message, or null if it has no valid one. */
function idOf(body: unknown): MessageId {
  const id = isObject(body) ? body['id'] : null;
  return typeof id === 'string' || Number.isSafeInteger(id) ? (id as MessageId) : null;
}

interface CleanRequest {
  id: string | number;
  method: string;
  params?: Fields;
}

function isCleanRequest(body: unknown): body is CleanRequest {
  if (!isObject(body) || body['jsonrpc'] !== '2.0' || typeof body['method'] !== 'string')
    return false;
  const { id, params } = body;
  if (typeof id !== 'string' && !Number.isSafeInteger(id)) return false;
  if (params === undefined) return Object.keys(body).length === 3;
  if (Object.keys(body).length !== 4 || !isObject(params)) return false;
  return params['_meta'] === undefined || isObject(params['_meta']);
}

const isPlainMeta = (meta: Fields | undefined) =>
  meta === undefined || Object.keys(meta).every((key) => key === 'progressToken' && isToken(meta));

function isCleanEnvelope(meta: Fields): boolean {
  const info = meta[CLIENT_INFO_META_KEY];
  const capabilities = meta[CLIENT_CAPABILITIES_META_KEY];
  return (
    meta[PROTOCOL_VERSION_META_KEY] === MODERN_VERSION &&
    meta[LOG_LEVEL_META_KEY] === undefined &&
    isToken(meta) &&
    isObject(capabilities) &&
    Object.keys(capabilities).every((key) => isCleanCapability(key, capabilities[key])) &&
    (info === undefined || isCleanInfo(info))
  );
}

const isToken = ({ progressToken }: Fields) =>
  progressToken === undefined ||
  typeof progressToken === 'string' ||
  Number.isSafeInteger(progressToken);
const isCleanInfo = (info: unknown) =>
  isObject(info) &&
  typeof info['name'] === 'string' &&
  typeof info['version'] === 'string' &&
  info['icons'] === undefined &&
  Object.values(info).every((value) => typeof value === 'string');
const isCleanCapability = (name: string, value: unknown) =>
  isObject(value) &&
  Object.entries(value).every(([key, inner]) =>
    name === 'roots' && key === 'listChanged' ? typeof inner === 'boolean' : isEmpty(inner),
  );
const isEmpty = (value: unknown) => isObject(value) && Object.keys(value).length === 0;
const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const single = (value: string | string[] | undefined) =>
  typeof value === 'string' ? value : undefined;
