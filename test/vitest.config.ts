import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { createSummaryReporter } from './support/servers/summary-reporter.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const globalSetup = fileURLToPath(new URL('support/servers/servers.ts', import.meta.url));

// Tests of authorization decisions, which must pass with and without the cache (S5).
const authorizationTests = [
  'test/integration/{authz,keys,properties}/**/*.test.ts',
  'test/integration/processes/**/*.test.ts',
  'test/integration/mcp/**/*.test.ts',
];
// Those that do not involve the cache, or that test the cache itself.
const cacheIndependent = [
  'test/integration/processes/{hot-path,process*,quickstart,start}.test.ts',
  'test/integration/properties/{faults,account-states,names,policies,answers}.test.ts',
  'test/integration/keys/crash.test.ts',
  'test/integration/authz/{crash*,deadlocks,openfga-unavailable,orphans,drift-*}.test.ts',
  'test/integration/mcp/legacy/signals.test.ts',
];

export default defineConfig({
  root,
  test: {
    // A file often waits for servers; leaving a core idle would double the run time.
    maxWorkers: '100%',
    reporters: ['default', createSummaryReporter()],
    // Files wait for real servers: generous timeouts cost nothing and hide no failure.
    testTimeout: 30_000,
    hookTimeout: 60_000,
    teardownTimeout: 30_000,
    projects: [
      {
        extends: true,
        test: { name: 'unit', include: ['test/unit/**/*.test.ts', 'test/*.test.ts'] },
      },
      {
        extends: true,
        test: {
          name: 'integration',
          include: ['test/integration/**/*.test.ts'],
          globalSetup: [globalSetup],
        },
      },
      {
        extends: true,
        test: {
          name: 'integration-uncached',
          include: authorizationTests,
          exclude: cacheIndependent,
          env: { AUTHZ_CACHE: 'off' },
          globalSetup: [globalSetup],
        },
      },
      {
        extends: true,
        test: {
          name: 'docker',
          include: ['test/docker/**/*.test.ts'],
          // Each file starts whole deployments, and stops some of them.
          maxWorkers: 1,
          testTimeout: 180_000,
        },
      },
      {
        extends: true,
        test: { name: 'model', include: ['test/model/**/*.test.ts'], globalSetup: [globalSetup] },
      },
    ],
  },
});
