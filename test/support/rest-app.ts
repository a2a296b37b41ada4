import { onTestFinished } from 'vitest';
import { createRetry } from '../../src/authz/authz.ts';
import type { Route } from '../../src/caller/route.ts';
import { createGateway } from '../../src/gateway/gateway.ts';
import type { GatewayDependencies } from '../../src/gateway/gateway.ts';
import { createCursors } from '../../src/platform/http/cursors.ts';
import { createLog } from '../../src/platform/observability/log.ts';
import { noTracing } from '../../src/platform/observability/tracing.ts';

/** Creates the real gateway with these routes alone, for requests by `inject`. */
export async function createRestApp(
  routes: readonly Route[],
  sender: Partial<Pick<GatewayDependencies, 'check'>> & {
    authentication?: Partial<GatewayDependencies['authentication']>;
  } = {},
) {
  const app = await createGateway({
    authentication: sender.authentication as GatewayDependencies['authentication'],
    check: sender.check ?? (async () => new Map()),
    requireReauthentication: async () => ({ password_hash: null }),
    grantName: () => null,
    origins: new Set(),
    routes,
    cursors: createCursors([Buffer.alloc(32, 7)]),
    idempotency: undefined as never,
    jobs: undefined as never,
    retry: createRetry(),
    pages: [],
    plugins: [],
    mcp: async (_request, response) => void response.writeHead(418).end(),
    sessionCookie: 'session',
    secureCookies: false,
    dashboardOrigin: null,
    trustedProxies: [],
    publicUrl: 'http://localhost',
    observe: () => {},
    tracing: noTracing,
    log: createLog('silent'),
  });
  onTestFinished(() => app.close());
  return app;
}
