import { writeFileSync } from 'node:fs';
import type { Reporter, TestModule } from 'vitest/node';

const SLOWEST_FILES = 10;

/**
 * Prints why tests were skipped, the slowest files of a long run, and a last line for machines:
 * `N passed, N failed, N skipped`.
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
      if (modules.length > SLOWEST_FILES) printSlowest(modules);
      const failed = modules.filter((module) => module.state() === 'failed');
      const paths = new Set(failed.map(({ relativeModuleId }) => `${relativeModuleId}\n`));
      const file = process.env['FAILED_FILES'];
      // An error outside of files cannot be attributed to one.
      if (file && unhandledErrors.length === 0) writeFileSync(file, [...paths].join(''));
      console.log(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
    },
  };
}

function printSlowest(modules: readonly TestModule[]): void {
  const measured = modules.map((module) => {
    const { collectDuration, duration } = module.diagnostic();
    const file = `${module.relativeModuleId} (${module.project.name})`;
    return { file, seconds: (collectDuration + duration) / 1_000 };
  });
  measured.sort((a, b) => b.seconds - a.seconds);
  console.log(`The ${SLOWEST_FILES} slowest files, in seconds of a shared machine:`);
  for (const { file, seconds } of measured.slice(0, SLOWEST_FILES)) {
    console.log(`${seconds.toFixed(1).padStart(7)}  ${file}`);
  }
}
