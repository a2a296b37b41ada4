import type { ServerResponse } from 'node:http';
import { instructions } from '../../protocol/advertised.ts';
import type { ServerInfo } from '../../protocol/advertised.ts';
import { writeReply } from '../../protocol/call.ts';
import { invalidParamsError } from '../../protocol/errors.ts';
import { sendError, sendText } from '../../protocol/http.ts';
import type { McpRequest } from '../../protocol/handler.ts';
import type { Report } from '../../protocol/reported.ts';
import type { RequestMessage } from '../exchanges/message.ts';
import { alreadyInitialized, refuseSession } from '../refusals.ts';
import { legacyVersions } from './session.ts';
import type { Sessions } from './sessions.ts';

const INIT_BYTES = 16 * 1024;

export interface InitializeDependencies {
  sessions: Sessions;
  capabilities: object;
  serverInfo: ServerInfo;
  report: Report;
}

/**
 * Creates `initialize`, which agrees on a version and creates the session. Invalid params are
 * reported as a JSON-RPC error with HTTP 200.
 */
export function createInitialize(dependencies: InitializeDependencies) {
  const { sessions, capabilities, serverInfo, report } = dependencies;

  return async function initialize(
    response: ServerResponse,
    { caller, body }: McpRequest,
    sessionId: string | string[] | undefined,
  ): Promise<void> {
    const { id, params } = body as RequestMessage;
    if (sessionId !== undefined) {
      const found = await sessions.use(caller, String(sessionId), null);
      if ('fault' in found) return refuseSession(response, found.fault, id);
      return sendError(response, 400, alreadyInitialized, { id });
    }
    const fault = findFault(params);
    if (fault !== null)
      return sendText(response, 200, writeReply(id, { error: invalidParamsError([fault]) }));
    const { protocolVersion } = params as { protocolVersion: string };
    const version = legacyVersions.find((known) => known === protocolVersion) ?? legacyVersions[0];

    const created = await sessions.create(caller, version, JSON.stringify(params));
    if (created === null) return refuseSession(response, 'unknown', id);
    report(caller, { kind: 'initialized', name: null });
    response.setHeader('Mcp-Session-Id', created);
    const result = { protocolVersion: version, capabilities, serverInfo, instructions };
    sendText(response, 200, writeReply(id, { result }));
  };
}

function findFault(params: unknown): { pointer: string; message: string } | null {
  const {
    protocolVersion,
    capabilities: offered,
    clientInfo,
  } = (params ?? {}) as {
    protocolVersion?: unknown;
    capabilities?: unknown;
    clientInfo?: unknown;
  };
  if (typeof protocolVersion !== 'string')
    return { pointer: '/protocolVersion', message: 'must be a string' };
  if (!isObject(offered)) return { pointer: '/capabilities', message: 'must be an object' };
  if (clientInfo !== undefined && !isObject(clientInfo))
    return { pointer: '/clientInfo', message: 'must be an object' };
  if (Buffer.byteLength(JSON.stringify(params)) > INIT_BYTES)
    return { pointer: '', message: `must have at most ${INIT_BYTES} bytes` };
  return null;
}

const isObject = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
