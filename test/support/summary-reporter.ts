import type { Reporter } from 'vitest/node';

/** Ends a run with one line for machines: `N passed, N failed, N skipped`. */
export function createSummaryReporter(): Reporter {
  return {
    onTestRunEnd: (modules, unhandledErrors) => {
      const counts = { passed: 0, failed: unhandledErrors.length, skipped: 0 };
      for (const module of modules) {
        // A file or suite that cannot even be read has no failed test to be counted by.
        counts.failed += module.errors().length;
        for (const suite of module.children.allSuites()) counts.failed += suite.errors().length;
        for (const test of module.children.allTests()) {
          const { state } = test.result();
          counts[state === 'pending' ? 'skipped' : state] += 1;
        }
      }
      console.log(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
    },
  };
}
