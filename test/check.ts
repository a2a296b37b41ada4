// npm run check: types, lint, format, unused code, glossary; each runs even if another fails.
import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import process from 'node:process';
import { text } from 'node:stream/consumers';

const checks: [name: string, ...command: string[]][] = [
  ['types', 'tsc', '--noEmit'],
  ['types of the dashboard', 'tsc', '--noEmit', '--project', 'src/dashboard'],
  ['lint', 'oxlint', '--type-aware', '--quiet'],
  ['format', 'oxfmt', '--check', '.'],
  ['unused code', 'knip'],
  ['glossary', 'node', 'test/glossary.ts'],
];

// Half of them use one core only.
const AT_ONCE = Math.min(2, availableParallelism());

const failed: string[] = [];
const queue = checks.values();

/** Runs a check to its end, and then prints all that it found. */
async function run([name, command, ...args]: (typeof checks)[number]): Promise<void> {
  const child = spawn(command!, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const status = new Promise((settle) => {
    child.once('error', settle);
    child.once('exit', settle);
  });
  const output = await Promise.all([text(child.stdout), text(child.stderr)]);
  const isPassed = (await status) === 0;
  process.stdout.write(`── ${name}\n${output.join('')}`);
  if (!isPassed) failed.push(name);
}

async function work(): Promise<void> {
  for (const check of queue) await run(check);
}

await Promise.all(Array.from({ length: AT_ONCE }, work));
if (failed.length > 0) {
  console.error(`check failed: ${failed.join(', ')}`);
  process.exitCode = 1;
} else console.log('check passed');
