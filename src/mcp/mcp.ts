import type { Limits } from '../limits/limits.ts';
import type { Log } from '../platform/observability/log.ts';
import { createRequireOwnHost } from '../platform/http/own-host.ts';
import type { Secrets } from '../platform/secrets.ts';
import type { Tracing } from '../platform/observability/tracing.ts';
import type { Visibility } from '../visibility/visibility.ts';
import { serverInfoOf } from './protocol/advertised.ts';
import { createArgumentChecker } from './calls/arguments.ts';
import { createCallLog } from './calls/call-log.ts';
import type { CallLogDependencies } from './calls/call-log.ts';
import { createCallTool } from './calls/call-tool.ts';
import type { CallToolDependencies } from './calls/call-tool.ts';
import { createAllowsOrigin } from './endpoint/checks.ts';
import { createCursors } from './protocol/cursor.ts';
import type { Era } from './protocol/call.ts';
import { createDispatch } from './protocol/dispatch.ts';
import type { Dispatch, Methods } from './protocol/dispatch.ts';
import type { ProtocolHandler, ListenHandler } from './protocol/handler.ts';
import { reported } from './protocol/reported.ts';
import type { Report } from './protocol/reported.ts';
import { createLists } from './lists/lists.ts';
import { createModern, modernMethods } from './modern.ts';
import { createReadContent } from './calls/read-content.ts';
import type { ReadContentDependencies } from './calls/read-content.ts';
import { createMcpEndpoint } from './endpoint/routes.ts';
import type { McpEndpoint, McpEndpointDependencies } from './endpoint/routes.ts';
import { createManagement } from './management/management.ts';
import type { ManagementDependencies } from './management/management.ts';
import { runTool } from './calls/run-tool.ts';
import type { ToolDependencies } from './calls/run-tool.ts';
import type { AgentContextDependencies } from './system/agent-context.ts';
import { createSearchTools } from './search/search-tools.ts';
import { createSystemTools } from './system/system-tools.ts';

export type { ObservedCall } from './calls/call-log.ts';

export interface McpDependencies {
  publicUrl: string;
  /** Origins whose pages may call, or `*`; null for the default. */
  allowedOrigins: readonly string[] | null;
  resourceMetadata: string | null;
  /** Version of the product that clients see. */
  version: string;
  authenticate: McpEndpointDependencies['authenticate'];
  visibility: Visibility;
  limits: Pick<Limits, 'admit' | 'record'>;
  observeCall: CallLogDependencies['observe'];
  recordDecision: CallLogDependencies['recordDecision'];
  recordUse: CallLogDependencies['recordUse'];
  /** Tells the owner of a credential who watches what it did. */
  report: Report;
  reportWithoutCredential: McpEndpointDependencies['reportWithoutCredential'];
  tracing: Pick<Tracing, 'wrap'>;
  toolDependencies: Omit<ToolDependencies, 'management'>;
  /** Dependencies of the management tools. */
  management: Omit<ManagementDependencies, 'visibility' | 'cursors'>;
  fillPrompt: ReadContentDependencies['fillPrompt'];
  readAgent: AgentContextDependencies['readAgent'];
  readResource: ReadContentDependencies['readResource'];
  /** Reads prompts and resources of upstreams. */
  upstreamContent: ReadContentDependencies['upstreams'];
  secrets: Pick<Secrets, 'subkeys'>;
  retry: CallToolDependencies['retry'];
  log: Log;
  /** Page size of lists; overridden in tests only. */
  pageItems?: number;
  /** Adds methods to a protocol version; used in tests only, for fixtures. */
  extend?(methods: Methods, era: Era): Methods;
}

export interface ProtocolHandlers {
  legacy: ProtocolHandler;
  openListen: ListenHandler;
}

/** Creates the MCP server: one dispatch, and an endpoint that serves both protocol versions. */
export function createMcp<Parts extends ProtocolHandlers>(
  dependencies: McpDependencies,
  createHandlers: (dispatch: Dispatch) => Parts,
): McpEndpoint & { handlers: Parts } {
  const { publicUrl, resourceMetadata, authenticate, visibility, recordDecision, log } =
    dependencies;
  const extend = dependencies.extend ?? ((all: Methods) => all);
  const shared = methodsOf(dependencies);
  const methods = {
    2025: extend({ ...shared, ping: () => ({ result: {} }) }, '2025'),
    2026: extend({ ...shared, ...modernMethods }, '2026'),
  };
  const dispatch = reported(createDispatch({ methods, log }), dependencies.report);
  const handlers = createHandlers(dispatch);
  const { legacy, openListen } = handlers;
  const serverInfo = serverInfoOf(dependencies.version, publicUrl);
  const modern = createModern({ dispatch, serverInfo, openListen });
  const allowsOrigin = createAllowsOrigin(publicUrl, dependencies.allowedOrigins);
  return {
    ...createMcpEndpoint({
      resourceMetadata,
      requireOwnHost: createRequireOwnHost(publicUrl),
      allowsOrigin,
      authenticate,
      visibility,
      recordDecision,
      retry: dependencies.retry,
      reportWithoutCredential: dependencies.reportWithoutCredential,
      modern,
      legacy,
      log,
    }),
    handlers,
  };
}

function methodsOf(dependencies: McpDependencies): Methods {
  const { publicUrl, secrets, visibility, limits, log } = dependencies;
  const cursors = createCursors(secrets.subkeys('mcp-cursor'));
  const management = createManagement({ ...dependencies.management, visibility, cursors });
  const toolDependencies = { ...dependencies.toolDependencies, management };
  const { fillPrompt, readAgent, readResource, retry } = dependencies;
  const systemTools = createSystemTools({ publicUrl, visibility, readAgent });
  const searchTools = createSearchTools({ visibility, cursors });
  const lists = createLists({
    visibility,
    systemTools,
    cursors,
    ...(dependencies.pageItems === undefined ? {} : { pageItems: dependencies.pageItems }),
  });
  const checker = createArgumentChecker();
  const calls = createCallLog({
    ...{ limits, observe: dependencies.observeCall, recordUse: dependencies.recordUse },
    recordDecision: dependencies.recordDecision,
  });
  const upstreams = dependencies.upstreamContent;
  const reads = { fillPrompt, readResource, upstreams };
  const content = createReadContent({ visibility, calls, retry, ...reads });
  return {
    'tools/list': lists.tools,
    'tools/call': createCallTool({
      retry,
      ...{ visibility, calls, systemTools, searchTools, checker, toolDependencies, log },
      run: dependencies.tracing.wrap('run tool', runTool, ({ outcome }, _call, item) => ({
        'toolgate.tool': item.origin === 'builtin' ? item.name : 'custom',
        'toolgate.outcome': outcome,
      })),
    }),
    'prompts/list': lists.prompts,
    'prompts/get': content.getPrompt,
    'resources/list': lists.resources,
    'resources/templates/list': lists.resourceTemplates,
    'resources/read': content.readResource,
  };
}
