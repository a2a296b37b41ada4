// Runs every npm script from a clean clone: installs packages once, then runs the entry on Node 24.
// Plain JavaScript without dependencies, because it runs before anything is installed.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { devNull } from 'node:os';
import { basename, delimiter, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildCommand, findGo, isBuildNeeded } from './openfga-build.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const modules = join(root, 'node_modules');
const stampFile = join(modules, '.toolgate-installed');
const lockFile = join(root, '.data', 'install.lock');
const requiredMajor = 24;
// Entries that start servers, OpenFGA among them.
const stackEntries = [
  ...['stack/start.ts', 'stack/build.ts', 'test/bench/bench.ts'],
  'node_modules/vitest/vitest.mjs',
];

const [entry, ...args] = process.argv.slice(2);
if (entry === undefined) fail('usage: node stack/run.mjs <entry> [arguments]');
await installOnce();
const path = [join(modules, '.bin'), process.env.PATH ?? ''].join(delimiter);
// A young generation of twice the default size halves a busy gateway's garbage collection time. Few
// objects survive, so one thread collects them faster than several, which would also delay other
// servers on the machine. With --expose-gc the service collects once after starting. Two allocator
// arenas instead of eight per core save 10 MB.
const flags = ['--max-semi-space-size=32', '--no-parallel-scavenge', '--expose-gc'];
process.exitCode = await run(findNode(), [...flags, resolve(root, entry), ...args], {
  stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  // Caches compiled, type-stripped code for later starts.
  env: {
    NODE_COMPILE_CACHE: join(modules, '.cache', 'compile'),
    MALLOC_ARENA_MAX: '2',
    ...process.env,
    PATH: path,
  },
});

/** Runs `npm ci` unless the installed packages match the lockfile. */
async function installOnce() {
  const stamp = fingerprint();
  if (isInstalled(stamp)) return;
  if (lstatSync(modules, { throwIfNoEntry: false })?.isSymbolicLink()) {
    // npm ci would empty the link's target, which belongs to another checkout.
    fail(
      `${modules} is a symbolic link to the packages of another lockfile; remove it, or run npm ci there`,
    );
  }
  await takeLock();
  process.on('exit', releaseLock);
  if (!isInstalled(stamp)) {
    console.log('Installing packages (once, about half a minute) …');
    const ci = ['ci', '--loglevel=error', '--no-fund', '--no-audit'];
    const [command, first] = findNpm();
    const argv = [...first, ...ci, '--include=dev', '--include=optional'];
    const compiler = await startCompiling();
    const code = await run(command, argv, { stdio: ['ignore', 'inherit', 'inherit'] });
    if (code !== 0) {
      compiler?.child.kill();
      fail(`npm ci failed (${code}); see its output above`, code);
    }
    if (compiler !== null) await waitForCompiler(compiler);
    writeFileSync(stampFile, stamp);
  }
  releaseLock();
}

/**
 * Starts compiling OpenFGA while npm installs, if this start will need it. Only Go's build cache is
 * filled: the stack then builds the program from it, or reports why it cannot.
 */
async function startCompiling() {
  const go = findGo(process.env);
  const isNeeded = stackEntries.includes(entry) && (await isBuildNeeded(process.env));
  if (go === null || !isNeeded) return null;
  console.log('Compiling OpenFGA at the same time (once, about a minute and a half) …');
  const { args: build, ...where } = buildCommand(process.env, devNull);
  return start(go, build, { ...where, stdio: 'ignore' });
}

/** Waits for the compiler, so that no second one competes with it; exits if it was stopped. */
async function waitForCompiler({ child, ended }) {
  if (child.exitCode === null) console.log('Packages are installed; OpenFGA is still compiling …');
  const code = await ended;
  if (code > 128) fail('stopped while OpenFGA was compiling', code);
}

function fingerprint() {
  const hash = createHash('sha256');
  for (const name of ['package.json', 'package-lock.json']) {
    hash.update(readFileSync(join(root, name)));
  }
  return hash.update(`${process.platform} ${process.arch}`).digest('hex');
}

function isInstalled(stamp) {
  if (readIfExists(stampFile) === stamp) return true;
  if (!matchesLockfile()) return false;
  writeFileSync(stampFile, stamp);
  return true;
}

/**
 * Returns true after a manual `npm install`, whose own record then lists the lockfile's packages.
 */
function matchesLockfile() {
  const record = readIfExists(join(modules, '.package-lock.json'));
  if (record === null) return false;
  const lockfilePackages = JSON.parse(
    readFileSync(join(root, 'package-lock.json'), 'utf8'),
  ).packages;
  const found = JSON.parse(record).packages;
  const own = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const groups = ['dependencies', 'devDependencies', 'optionalDependencies'];
  const isLocked = groups.every((group) =>
    isSame(own[group] ?? {}, lockfilePackages[''][group] ?? {}),
  );
  return (
    isLocked &&
    Object.entries(lockfilePackages).every(([name, locked]) => {
      if (name === '') return true;
      if (found[name] !== undefined) return found[name].integrity === locked.integrity;
      return locked.optional === true && !isForThisSystem(locked);
    })
  );
}

/**
 * Returns whether an optional package must be installed here: npm omits packages for other systems
 * and those that only they depend on.
 */
function isForThisSystem({ os, cpu, libc }) {
  const isNamed = os !== undefined || cpu !== undefined;
  const isSupported = !isElsewhere(os, process.platform) && !isElsewhere(cpu, process.arch);
  return isNamed && isSupported && libc === undefined;
}

function isSame(left, right) {
  const names = Object.keys(left);
  const isAsLong = names.length === Object.keys(right).length;
  return isAsLong && names.every((name) => left[name] === right[name]);
}

/** Returns whether a lockfile field (a name, a list, or a list of `!name`) excludes `here`. */
function isElsewhere(named, here) {
  if (named === undefined) return false;
  const list = [named].flat();
  if (list.some((name) => name.startsWith('!'))) return list.includes(`!${here}`);
  return !list.includes(here);
}

/** Acquires the lock; a second process waits until the first has installed the packages. */
async function takeLock() {
  mkdirSync(dirname(lockFile), { recursive: true });
  const own = `${lockFile}.${process.pid}`;
  let isReported = false;
  for (;;) {
    writeFileSync(own, String(process.pid));
    try {
      linkSync(own, lockFile);
      return;
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    } finally {
      rmSync(own, { force: true });
    }
    const owner = readIfExists(lockFile);
    if (owner !== null && !isAlive(Number(owner))) {
      removeStale(owner, own);
      continue;
    }
    if (!isReported) console.log('Another process is installing packages; waiting for it …');
    isReported = true;
    await new Promise((done) => void setTimeout(done, 200));
  }
}

/** Removes a dead owner's lock, but not one that a third process acquired in between. */
function removeStale(owner, aside) {
  try {
    renameSync(lockFile, aside);
    if (readFileSync(aside, 'utf8') !== owner) linkSync(aside, lockFile);
  } catch (error) {
    if (error.code !== 'ENOENT' && error.code !== 'EEXIST') throw error;
  }
  rmSync(aside, { force: true });
}

function releaseLock() {
  if (readIfExists(lockFile) === String(process.pid)) rmSync(lockFile, { force: true });
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

function readIfExists(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}

/** @returns {[command: string, argv: string[]]} */
function findNpm() {
  const script = process.env.npm_execpath ?? '';
  if (basename(script) === 'npm-cli.js') return [process.execPath, [script]];
  return ['npm', []];
}

/** Returns the lockfile's Node if it runs, since the system's own may be years older. */
function findNode() {
  const bundled = join(modules, '.bin', 'node');
  if (existsSync(bundled) && spawnSync(bundled, ['--version']).status === 0) return bundled;
  if (Number(process.versions.node.split('.')[0]) >= requiredMajor) return process.execPath;
  return fail(
    `Node ${requiredMajor} is required: this is ${process.version} on ${process.platform} ` +
      `${process.arch}, for which no bundled Node exists; install Node ${requiredMajor} or later`,
  );
}

/** Runs a child to its end and returns its exit code. */
function run(command, argv, options) {
  return start(command, argv, options).ended;
}

/** Starts a child that ends when this process is signaled or its parent has ended. */
function start(command, argv, options) {
  const child = spawn(command, argv, { cwd: root, ...options });
  const ended = new Promise((settle) => {
    const end = (signal) => {
      child.kill(signal);
      setTimeout(() => void child.kill('SIGKILL'), 20_000).unref();
    };
    const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
    for (const signal of signals) process.on(signal, end);
    // npm killed by SIGKILL does not notify its script, so the parent is polled as well.
    const parent = process.ppid;
    const poll = setInterval(() => {
      if (process.ppid === parent) return;
      clearInterval(poll);
      end('SIGTERM');
    }, 500);
    const finish = (code) => {
      clearInterval(poll);
      for (const signal of signals) process.removeListener(signal, end);
      settle(code);
    };
    child.on('error', (error) => {
      console.error(`toolgate: cannot run ${command}: ${error.message}`);
      finish(127);
    });
    child.on('exit', (code, signal) => finish(code ?? (signal === 'SIGINT' ? 130 : 143)));
  });
  return { child, ended };
}

function fail(message, code = 1) {
  console.error(`toolgate: ${message}`);
  process.exit(code);
}
