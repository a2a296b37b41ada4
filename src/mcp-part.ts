import type { Connections } from './connections.ts';
import { serverInfoOf } from './mcp/protocol/advertised.ts';
import { createChangeFeed } from './mcp/changes/changes.ts';
import { createCurrentView } from './mcp/changes/current-view.ts';
import { createDigest } from './mcp/lists/digests.ts';
import { createLegacyHandler } from './mcp/legacy/legacy.ts';
import { createMcp } from './mcp/mcp.ts';
import type { McpDependencies } from './mcp/mcp.ts';
import { createResourceVersions } from './mcp/changes/resource-versions.ts';
import { RESOURCE_METADATA_PATH } from './oauth/server/server.ts';
import { systemClock } from './platform/clock.ts';
import type { Config } from './platform/config/config.ts';
import { VERSION } from './platform/config/version.ts';
import type { Parts, ServiceOverrides } from './parts.ts';

/** Creates the MCP server, with the handlers of both protocol versions. */
export function createMcpPart(
  config: Config,
  connections: Connections,
  parts: Parts &
    Pick<McpDependencies, 'authenticate' | 'observeCall' | 'recordDecision'> & {
      more: ServiceOverrides['mcp'] & {};
    },
) {
  const { visibility, limits, secrets, credentials, content, outbound, workers, more } = parts;
  const { redis, events, tracing, log } = connections;
  const serverInfo = serverInfoOf(VERSION, config.PUBLIC_URL);
  const { reread, worksAt } = credentials;
  const watched = { ...visibility, view: createCurrentView(visibility, reread) };
  const changes = createChangeFeed({
    ...{ reread, worksAt },
    digest: createDigest(watched),
    resourceVersions: createResourceVersions(watched),
    subscribe: events.subscribe,
    serverInfo,
    redis,
    log,
  });
  return createMcp(
    {
      publicUrl: config.PUBLIC_URL,
      allowedOrigins: config.MCP_ORIGINS?.concat(config.DASHBOARD_URL) ?? null,
      resourceMetadata: `${config.PUBLIC_URL}${RESOURCE_METADATA_PATH}`,
      version: VERSION,
      authenticate: parts.authenticate,
      observeCall: parts.observeCall,
      recordDecision: parts.recordDecision,
      recordUse: parts.unused.recordCall,
      report: parts.connectEvents.report,
      reportWithoutCredential: parts.connectEvents.reportWithoutCredential,
      retry: parts.authz.retry,
      visibility,
      limits,
      fillPrompt: content.prompts.fill,
      readAgent: content.agents.contentAt,
      readResource: content.resources.contentAt,
      upstreamContent: content.upstreamContent,
      ...more,
      toolDependencies: { now: systemClock.now, outbound, workers },
      management: {
        catalog: parts.catalog,
        items: {
          resource: content.resources,
          prompt: content.prompts,
          agent: content.agents,
          custom_tool: content.customTools,
        },
      },
      secrets,
      tracing,
      log,
    },
    (dispatch) => ({
      changes,
      openListen: changes.openListen,
      legacy: createLegacyHandler({
        ...{ redis, dispatch, changes, serverInfo, log, report: parts.connectEvents.report },
        ...more,
      }),
    }),
  );
}
