import { spawn } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { builtProgram } from '../../../stack/openfga-build.mjs';

const STACK = fileURLToPath(new URL('../../../stack', import.meta.url));
const COMPILING = /^Compiling OpenFGA at the same time /m;
const ALONE = ['npm begins', 'npm ends', 'started'];

// Both write a note when they begin and end. npm ends once Go has begun, and Go ends after npm.
const NPM = `echo npm begins >> $NOTES
until [ -n "$ALONE" ] || grep -q 'go begins' $NOTES; do sleep 0.05; done
mkdir -p node_modules
echo npm ends >> $NOTES`;
const GO = `trap 'echo go is stopped >> $NOTES; exit 143' TERM
echo go begins >> $NOTES
until grep -q 'npm ends' $NOTES; do sleep 0.05; done
sleep 0.2
echo go ends >> $NOTES`;

/**
 * Creates a clone of the launcher without packages, with these scripts as npm and go. Its
 * entry notes that it started. OpenFGA is not built and Docker is not available.
 */
function newClone({ npm = NPM, go = GO, entry = 'stack/start.ts' } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'toolgate-clone-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const notes = join(folder, 'notes');
  cpSync(STACK, join(folder, 'stack'), { recursive: true });
  for (const name of ['package.json', 'package-lock.json']) {
    writeFileSync(
      join(folder, name),
      '{"type": "module", "packages": {"": {}, "node_modules/a": {}}}',
    );
  }
  for (const [name, script] of Object.entries({ npm, go })) {
    mkdirSync(join(folder, 'bin'), { recursive: true });
    writeFileSync(join(folder, 'bin', name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(folder, 'bin', name), 0o755);
  }
  mkdirSync(join(folder, entry, '..'), { recursive: true });
  const note = `appendFileSync(${JSON.stringify(notes)}, 'started\\n')`;
  writeFileSync(join(folder, entry), `import { appendFileSync } from 'node:fs'; ${note};`);
  const env = {
    PATH: `${join(folder, 'bin')}:/usr/bin:/bin`,
    NOTES: notes,
    XDG_CACHE_HOME: join(folder, 'cache'),
    DOCKER_HOST: 'unix:///nowhere/docker.sock',
  };
  const launch = (overrides: Record<string, string> = {}) =>
    spawn(process.execPath, [join(folder, 'stack', 'run.mjs'), entry], {
      env: { ...env, ...overrides },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  return {
    env,
    launch,
    notes: () => (existsSync(notes) ? readFileSync(notes, 'utf8').trim().split('\n') : []),
    /** Runs the entry to its end, and returns its exit code and output. */
    start: async (overrides?: Record<string, string>) => {
      const child = launch(overrides);
      const ended = new Promise((resolve) => void child.once('exit', resolve));
      const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
      return { code: await ended, out, err };
    },
  };
}

test('the first start compiles OpenFGA while npm installs, and waits for both', async () => {
  const { start, notes } = newClone();

  const { code, out } = await start();

  expect({ code, out }).toEqual({ code: 0, out: expect.stringMatching(COMPILING) });
  expect(notes().slice(0, 2).toSorted()).toEqual(['go begins', 'npm begins']);
  expect(notes().slice(2)).toEqual(['npm ends', 'go ends', 'started']);
});

test('a failed installation stops the compiler, is reported, and starts nothing', async () => {
  const npm = `echo npm begins >> $NOTES
until grep -q 'go begins' $NOTES; do sleep 0.05; done
echo no such registry >&2
exit 7`;
  const { start, notes } = newClone({ npm });

  const { code, err } = await start();

  expect({ code, err }).toEqual({
    code: 7,
    err: 'no such registry\ntoolgate: npm ci failed (7); see its output above\n',
  });
  await expect.poll(() => notes().at(-1)).toBe('go is stopped');
  expect(notes()).not.toContain('started');
});

test('a failed compilation prevents neither the installation nor the start', async () => {
  const { start, notes } = newClone({
    go: 'echo go begins >> $NOTES; echo no network >&2; exit 1',
  });

  const { code, err } = await start();

  expect({ code, err }).toEqual({ code: 0, err: '' });
  expect(notes().slice(-2)).toEqual(['npm ends', 'started']);
});

test('a signal while OpenFGA compiles ends the compiler and starts nothing', async () => {
  const go = GO.replace('sleep 0.2', 'while :; do sleep 0.05; done');
  const { launch, notes } = newClone({ go });
  const child = launch();
  const err = text(child.stderr);
  await expect.poll(notes).toContain('npm ends');

  child.kill('SIGTERM');

  expect(await err).toBe('toolgate: stopped while OpenFGA was compiling\n');
  expect(notes().slice(-1)).toEqual(['go is stopped']);
});

test('two concurrent first starts install and compile only once', async () => {
  const { start, notes } = newClone();

  const both = await Promise.all([start(), start()]);

  expect(both.map(({ code }) => code)).toEqual([0, 0]);
  expect(notes().slice(2)).toEqual(['npm ends', 'go ends', 'started', 'started']);
});

test.for([
  ['the entry starts no servers', 'src/migrate.ts', {}],
  [
    'the URL of a running OpenFGA is set',
    'stack/start.ts',
    { OPENFGA_API_URL: 'http://127.0.0.1:1' },
  ],
] as const)('nothing is compiled in advance when %s', async ([, entry, overrides]) => {
  const { start, notes } = newClone({ entry });

  const { code } = await start({ ...overrides, ALONE: 'yes' });

  expect({ code, notes: notes() }).toEqual({ code: 0, notes: ALONE });
});

test('nothing is compiled in advance when OpenFGA was built before', async () => {
  const { env, start, notes } = newClone();
  const program = builtProgram(env);
  mkdirSync(join(program, '..'), { recursive: true });
  writeFileSync(program, '');

  await start({ ALONE: 'yes' });

  expect(notes()).toEqual(ALONE);
});
