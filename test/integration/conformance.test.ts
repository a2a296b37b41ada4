import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { failuresOf, requiredScenarios, runSuite } from '../support/conformance/run-suite.ts';
import { startSuiteTarget } from '../support/conformance/suite-target.ts';
import type { SuiteTarget } from '../support/conformance/suite-target.ts';
import { createWorld } from '../support/worlds/world.ts';
import type { World } from '../support/worlds/world.ts';

let world: World;
let target: SuiteTarget;

beforeAll(async () => {
  world = await createWorld();
  target = await startSuiteTarget(world);
});
afterAll(async () => {
  await target?.close();
  await world?.close();
});

/** Scenarios that run in addition to the required ones (mcp.md 13). */
const unscored = {
  '2025-11-25': ['server-session-lifecycle', 'server-sse-polling', 'json-schema-2020-12'],
  '2026-07-28': [
    'http-header-validation',
    'http-custom-header-server-validation',
    'json-schema-2020-12',
  ],
} as const;

const revisions = ['2025-11-25', '2026-07-28'] as const;

describe.each(revisions)('the official suite of %s', (revision) => {
  test(
    'passes completely on two processes behind a load balancer (S18)',
    { timeout: 300_000 },
    async () => {
      const results = await runSuite(target.url, ['--requirements', revision]);
      const gated = new Set([...(await requiredScenarios(revision)), ...unscored[revision]]);
      const failures = failuresOf(results);

      const failed = [...gated].filter((scenario) => failures.has(scenario)).toSorted();
      const reasons = failed.flatMap((scenario) => failures.get(scenario) ?? []);
      expect(failed, reasons.join('\n')).toEqual([]);
      expect([...gated].filter((scenario) => !results.has(scenario))).toEqual([]);
    },
  );
});
