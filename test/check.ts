// npm run check: types, lint, format, unused code, glossary; each runs even if another fails.
import { spawnSync } from 'node:child_process';
import process from 'node:process';

const checks: [name: string, ...command: string[]][] = [
  ['types', 'tsc', '--noEmit'],
  ['types of the dashboard', 'tsc', '--noEmit', '--project', 'src/dashboard'],
  ['lint', 'oxlint', '--type-aware', '--quiet'],
  ['format', 'oxfmt', '--check', '.'],
  ['unused code', 'knip'],
  ['glossary', 'node', 'test/glossary.ts'],
];

const failed = checks.filter(([name, command, ...args]) => {
  console.log(`── ${name}`);
  return spawnSync(command!, args, { stdio: 'inherit' }).status !== 0;
});
if (failed.length > 0) {
  console.error(`check failed: ${failed.map(([name]) => name).join(', ')}`);
  process.exitCode = 1;
} else console.log('check passed');
