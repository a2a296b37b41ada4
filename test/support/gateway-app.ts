import { onTestFinished } from 'vitest';
import { createRetry } from '../../src/authz/authz.ts';
import { createGateway } from '../../src/gateway/gateway.ts';
import type { GatewayDependencies } from '../../src/gateway/gateway.ts';
import { createCursors } from '../../src/platform/http/cursors.ts';
import { createLog } from '../../src/platform/observability/log.ts';
import { noTracing } from '../../src/platform/observability/tracing.ts';

/** Parts of the gateway under test. */
export type GatewayParts = Partial<Omit<GatewayDependencies, 'authentication'>> & {
  authentication?: Partial<GatewayDependencies['authentication']>;
};

/** Creates the real gateway around these parts, for requests by `inject`. */
export async function createGatewayApp({ authentication, ...parts }: GatewayParts) {
  const app = await createGateway({
    authentication: authentication as GatewayDependencies['authentication'],
    check: async () => new Map(),
    requireReauthentication: async () => ({ password_hash: null }),
    grantName: () => null,
    recordDecision: () => {},
    origins: new Set(),
    routes: [],
    cursors: createCursors([Buffer.alloc(32, 7)]),
    idempotency: undefined as never,
    jobs: undefined as never,
    retry: createRetry(),
    pages: [],
    plugins: [],
    mcp() {},
    sessionCookie: 'session',
    secureCookies: false,
    dashboardOrigin: null,
    trustedProxies: [],
    publicUrl: 'http://localhost',
    observe: () => {},
    tracing: noTracing,
    log: createLog('silent'),
    ...parts,
  });
  onTestFinished(() => app.close());
  return app;
}
