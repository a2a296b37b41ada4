import { execFile, execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { createGuard } from '../../../stack/guard.ts';
import { builtProgram, findGo } from '../../../stack/openfga-build.mjs';
import { findOpenfga } from '../../../stack/openfga-program.ts';

const VERSION = 'v1.22.1';

/** Returns a script that prints the same as `openfga version`. */
const openfga = (version: string) => `#!/bin/sh\necho "OpenFGA version \\\`${version}\\\`"\n`;

function write(file: string, text: string): void {
  writeFileSync(file, text);
  chmodSync(file, 0o755);
}

/**
 * Creates a fake machine whose `go` builds a program of this version and records how it was called.
 */
function newMachine({ builds = VERSION, installed }: { builds?: string; installed?: string } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'toolgate-openfga-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const bin = join(folder, 'bin');
  const notes = join(folder, 'notes');
  mkdirSync(bin);
  const product = join(folder, 'product');
  write(product, openfga(builds));
  write(
    join(bin, 'go'),
    `#!/bin/sh
echo "$GOFLAGS | $*" >> ${notes}
while [ "$1" != -o ]; do shift; done
sleep 0.2
cp ${product} "$2"
`,
  );
  if (installed !== undefined) write(join(bin, 'openfga'), openfga(installed));
  const env = {
    PATH: `${bin}:/usr/bin:/bin`,
    GOROOT: folder,
    XDG_CACHE_HOME: join(folder, 'cache'),
  };
  const guard = createGuard(join(folder, 'journal.json'));
  onTestFinished(() => guard.close());
  const lines: string[] = [];
  return {
    env,
    lines,
    builds: () => (existsSync(notes) ? readFileSync(notes, 'utf8').trim().split('\n') : []),
    find: () => findOpenfga({ guard, env, progress: (line) => void lines.push(line) }),
  };
}

test('OpenFGA is built once, with its checksums verified, and cached for every later start', async () => {
  const { env, lines, builds, find } = newMachine();

  const programs = [...(await Promise.all([find(), find(), find()])), await find()];

  expect(new Set(programs)).toEqual(new Set([builtProgram(env)]));
  expect(programs[0]).toMatch(new RegExp(`/cache/toolgate/openfga-${VERSION}-[0-9a-f]{12}-`));
  expect(builds()).toEqual([expect.stringMatching(/^-mod=readonly .*\| build /)]);
  expect(lines).toContain('Building OpenFGA v1.22.1 with Go (once, up to a minute and a half) …');
});

test('the pinned version in PATH is used; another version is ignored', async () => {
  const pinned = newMachine({ installed: VERSION });
  const older = newMachine({ installed: 'v1.8.0' });

  expect(await pinned.find()).toBe(join(pinned.env.GOROOT, 'bin', 'openfga'));
  expect(await older.find()).toBe(builtProgram(older.env));
  expect([pinned.builds().length, older.builds().length]).toEqual([0, 1]);
});

test('a build of another version is discarded and reported in one line', async () => {
  const { env, find } = newMachine({ builds: 'v1.8.0' });

  await expect(find()).rejects.toThrow(
    /^OpenFGA not found \(its build failed: .*a different version\): set OPENFGA_API_URL .*\.$/,
  );
  expect(existsSync(builtProgram(env))).toBe(false);
});

// Built by the stack of this test run, unless OpenFGA comes from elsewhere.
const built = builtProgram(process.env);
const go = findGo(process.env);
const MYSQL = ['--datastore-engine=mysql', '--datastore-uri=u:p@tcp(127.0.0.1:1)/x'];
const TLS = ['--http-tls-enabled', '--http-tls-cert=/dev/null', '--http-tls-key=/dev/null'];

test.skipIf(!existsSync(built)).for([
  ['tracing', ['--trace-enabled'], 'tracing is not part of this build'],
  ['MySQL', MYSQL, 'unknown driver "mysql"'],
  ['MySQL with a user', [...MYSQL, '--datastore-username=u'], 'MySQL is not part of this build'],
  ['SQLite', ['--datastore-engine=sqlite', '--datastore-uri=x'], 'unknown driver "sqlite"'],
  ['TLS', TLS, 'TLS is not part of this build'],
] as const)('the built OpenFGA refuses to start with %s', async ([, flags, reason]) => {
  const anyPort = ['http', 'grpc', 'metrics'].map((name) => `--${name}-addr=127.0.0.1:0`);

  const output = await new Promise((resolve) => {
    const args = ['run', ...anyPort, '--playground-enabled=false', ...flags];
    execFile(built, args, { timeout: 10_000 }, (_error, stdout, stderr) =>
      resolve(stdout + stderr),
    );
  });

  expect(output).toContain(reason);
});

test.skipIf(go === null || !existsSync(built))(
  'each module of the built OpenFGA has its checksum in go.sum, or is replaced by go.mod',
  () => {
    const folder = fileURLToPath(new URL('../../../stack/openfga', import.meta.url));
    const read = (name: string) => readFileSync(join(folder, name), 'utf8');
    const sums = new Set(read('go.sum').split('\n'));
    const replaced = new Set(
      [...read('go.mod').matchAll(/^\t(\S+) => /gm)].map(([, path]) => path),
    );

    const recorded = execFileSync(go ?? '', ['version', '-m', built], { encoding: 'utf8' });
    const linked = [...recorded.matchAll(/^\t(?:mod|dep)\t(\S+)\t(\S+)(?:\t(\S+))?$/gm)];

    expect(linked.map(([, path]) => path)).toContain('github.com/openfga/openfga');
    expect(
      linked.filter(
        ([, path, version, sum]) =>
          !sums.has(`${path} ${version} ${sum}`) && !(sum === undefined && replaced.has(path)),
      ),
    ).toEqual([]);
  },
);
