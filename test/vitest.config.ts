import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { createSummaryReporter } from './support/summary-reporter.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const globalSetup = fileURLToPath(new URL('support/servers.ts', import.meta.url));

export default defineConfig({
  root,
  test: {
    reporters: ['default', createSummaryReporter()],
    // Files wait for real servers, so generous limits cost nothing and hide no failure.
    testTimeout: 30_000,
    hookTimeout: 60_000,
    teardownTimeout: 30_000,
    projects: [
      {
        extends: true,
        test: { name: 'rules', include: ['test/rules/**/*.test.ts', 'test/*.test.ts'] },
      },
      {
        extends: true,
        test: { name: 'acts', include: ['test/acts/**/*.test.ts'], globalSetup: [globalSetup] },
      },
      {
        extends: true,
        test: { name: 'model', include: ['test/model/**/*.test.ts'], globalSetup: [globalSetup] },
      },
    ],
  },
});
