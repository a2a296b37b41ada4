import { writeFileSync } from 'node:fs';
import type { Reporter } from 'vitest/node';

/**
 * Prints why tests were skipped and a last line for machines: `N passed, N failed, N skipped`.
 * Writes the paths of failed files to the file that `FAILED_FILES` names, one per line.
 */
export function createSummaryReporter(): Reporter {
  return {
    onTestRunEnd: (modules, unhandledErrors) => {
      const counts = { passed: 0, failed: unhandledErrors.length, skipped: 0 };
      const reasons = new Set<string>();
      for (const module of modules) {
        // A file or suite that fails to load has no failed test to count.
        counts.failed += module.errors().length;
        for (const suite of module.children.allSuites()) counts.failed += suite.errors().length;
        for (const test of module.children.allTests()) {
          const result = test.result();
          counts[result.state === 'pending' ? 'skipped' : result.state] += 1;
          if (result.state === 'skipped' && result.note) reasons.add(result.note);
        }
      }
      for (const reason of reasons) console.log(`skipped: ${reason}`);
      const failed = modules.filter((module) => module.state() === 'failed');
      const paths = new Set(failed.map(({ relativeModuleId }) => `${relativeModuleId}\n`));
      const file = process.env['FAILED_FILES'];
      // An error outside of files cannot be attributed to one.
      if (file && unhandledErrors.length === 0) writeFileSync(file, [...paths].join(''));
      console.log(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
    },
  };
}
