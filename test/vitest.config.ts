import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { createSummaryReporter } from './support/servers/summary-reporter.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const globalSetup = fileURLToPath(new URL('support/servers/servers.ts', import.meta.url));

// Tests in which decisions follow changes of authority; they must pass with and without the cache
// (S5). In other tests the cache makes no difference, or only the cache can break them.
const authorizationTests = [
  'test/integration/authz/{basis,change,given-up,order,scopes,store,stuck}.test.ts',
  'test/integration/keys/{bindings,manage,org-scope}.test.ts',
  'test/integration/properties/{organization-revocation,organization-worlds,revocation}.test.ts',
  'test/integration/mcp/listen.test.ts',
  'test/integration/mcp/legacy/streams.test.ts',
];

// Replaces a module of src, which a worker reads only once unless its files are isolated, and which
// only Vite can replace.
const mockingTests = ['test/integration/properties/planted-*.test.ts'];

// Node reads the modules by itself, as in production, and keeps their compiled code for the next
// process. Vite would transform each of them again for each project, and every worker would compile
// the result.
const native = { viteModuleRunner: false, nodeLoader: false };

// `isolate: false` below: src keeps no state in its modules, so the files of a worker share them.
// Reading a thousand modules for each file would take a third of the whole run.
export default defineConfig({
  root,
  test: {
    // Files often wait for servers: three workers keep two cores busy.
    maxWorkers: Math.ceil(1.5 * availableParallelism()),
    // A larger young generation halves the time of garbage collection, as in `stack/run.mjs`.
    execArgv: ['--max-semi-space-size=32', '--no-parallel-scavenge'],
    reporters: ['default', createSummaryReporter()],
    // Files wait for real servers: generous timeouts cost nothing and hide no failure.
    testTimeout: 90_000,
    hookTimeout: 120_000,
    teardownTimeout: 30_000,
    expect: { poll: { timeout: 30_000 } },
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['test/unit/**/*.test.ts', 'test/*.test.ts'],
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: 'integration',
          include: ['test/integration/**/*.test.ts'],
          exclude: mockingTests,
          globalSetup: [globalSetup],
          isolate: false,
          experimental: native,
        },
      },
      {
        extends: true,
        test: { name: 'integration-mocking', include: mockingTests, globalSetup: [globalSetup] },
      },
      {
        extends: true,
        test: {
          name: 'integration-uncached',
          include: authorizationTests,
          env: { AUTHZ_CACHE: 'off' },
          globalSetup: [globalSetup],
          isolate: false,
          experimental: native,
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
        test: {
          name: 'model',
          include: ['test/model/**/*.test.ts'],
          globalSetup: [globalSetup],
          isolate: false,
          experimental: native,
        },
      },
    ],
  },
});
