import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';

const launcher = fileURLToPath(new URL('../../../stack/run.mjs', import.meta.url));

test('the launcher runs its entry on Node 24 or later with all arguments', async () => {
  const entry = write('console.log(process.versions.node, ...process.argv.slice(2))');

  const output = await readOutput(launch([entry, '--watch', 'a b']));

  expect(output).toMatch(/^(2[4-9]|[3-9]\d)\.\S+ --watch a b\n$/);
});

test('the launcher exits with the exit code of its entry', async () => {
  const launched = launch([write('process.exit(7)')]);

  expect(await exitCode(launched)).toBe(7);
});

test.for(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
  'the launcher forwards %s to its entry and waits for it to shut down',
  async (signal) => {
    const entry = write(
      `process.on('${signal}', () => setTimeout(() => process.exit(3), 100));` +
        "setTimeout(() => {}, 20_000); console.log('up')",
    );
    const launched = launch([entry]);
    await firstOutput(launched);

    launched.kill(signal);

    expect(await exitCode(launched)).toBe(3);
  },
);

test('SIGKILL of the launcher closes the channel its entry listens on', async () => {
  const mark = join(newFolder(), 'mark');
  const launched = launch([waitForDisconnect(mark)]);
  await firstOutput(launched);

  launched.kill('SIGKILL');

  await expect.poll(() => existsSync(mark), { timeout: 20_000 }).toBe(true);
});

test('SIGKILL of the launcher’s parent ends the entry', async () => {
  const mark = join(newFolder(), 'mark');
  const entry = write(
    `import { writeFileSync } from 'node:fs';` +
      `process.on('SIGTERM', () => { writeFileSync(${JSON.stringify(mark)}, 'SIGTERM');` +
      `process.exit(); }); setTimeout(() => {}, 20_000); console.log('up')`,
  );
  const command = [process.execPath, launcher, entry].map((word) => `'${word}'`).join(' ');
  const parent = spawn('sh', ['-c', `${command} & wait`], { stdio: ['ignore', 'pipe', 'inherit'] });
  await firstOutput(parent);

  parent.kill('SIGKILL');

  await expect.poll(() => existsSync(mark), { timeout: 20_000 }).toBe(true);
  expect(readFileSync(mark, 'utf8')).toBe('SIGTERM');
});

function launch(args: string[]): ChildProcess {
  return spawn(process.execPath, [launcher, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
}

function waitForDisconnect(mark: string): string {
  return write(
    `import { writeFileSync } from 'node:fs';` +
      `process.on('disconnect', () => { writeFileSync(${JSON.stringify(mark)}, ''); });` +
      `console.log('up')`,
  );
}

function write(source: string): string {
  const entry = join(newFolder(), 'entry.mjs');
  writeFileSync(entry, source);
  return entry;
}

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'toolgate-act-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

function exitCode(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve) => void child.once('exit', resolve));
}

function readOutput(child: ChildProcess): Promise<string> {
  return child.stdout === null ? Promise.resolve('') : text(child.stdout);
}

function firstOutput(child: ChildProcess): Promise<unknown> {
  return new Promise((resolve) => void child.stdout?.once('data', resolve));
}
