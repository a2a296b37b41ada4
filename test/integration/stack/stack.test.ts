import { setTimeout as pause } from 'node:timers/promises';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { ask, countAlive, readServers, test } from '../../support/servers/stack-fixture.ts';

describe('the stack', () => {
  test('starts twice side by side, each with its own data', async ({ newFolder, start }) => {
    const [first, second] = await Promise.all([
      start(newFolder(), 'test'),
      start(newFolder(), 'test'),
    ]);

    await ask(first.urls['databaseUrl'], 'CREATE DATABASE mine');
    const found = await ask(second.urls['databaseUrl'], "FROM pg_database WHERE datname = 'mine'");

    expect(found).toBe(0);
  });

  test.for(['SIGTERM', 'SIGKILL'] as const)(
    'leaves no server running when %s ends its process',
    async (signal, { newFolder, start }) => {
      const folder = newFolder();
      const stack = await start(folder, 'test');
      const servers = readServers(folder);

      stack.process.kill(signal);

      expect(servers.length).toBeGreaterThan(0);
      await expect.poll(() => countAlive(servers), { timeout: 20_000 }).toBe(0);
      await expect.poll(() => existsSync(folder), { timeout: 20_000 }).toBe(false);
    },
  );

  test.skipIf(!existsSync('/proc/self/stat'))(
    'leaves no server running if its watchdog was killed first',
    async ({ newFolder, start }) => {
      const folder = newFolder();
      const stack = await start(folder, 'test');
      const servers = readServers(folder);
      const [killedWatchdog = 0] = findWatchdogs(stack.process.pid);

      process.kill(killedWatchdog, 'SIGKILL');
      await expect.poll(() => findWatchdogs(stack.process.pid).length).toBe(1);
      await expect.poll(() => findWatchdogs(stack.process.pid)).not.toContain(killedWatchdog);
      // A new watchdog receives its instructions only after its fork, which takes time on a busy machine.
      await pause(1_000);
      stack.process.kill('SIGKILL');

      await expect.poll(() => countAlive(servers), { timeout: 20_000 }).toBe(0);
    },
  );

  test('keeps its data across a SIGKILL and an immediate restart', async ({ newFolder, start }) => {
    const folder = newFolder();
    const killed = await start(folder, 'local');
    await ask(killed.urls['databaseUrl'], 'CREATE TABLE kept AS SELECT 1 AS row');
    const killedServers = readServers(folder);

    killed.process.kill('SIGKILL');
    const next = await start(folder, 'local');

    expect(await ask(next.urls['databaseUrl'], 'FROM kept')).toBe(1);
    expect(countAlive(killedServers)).toBe(0);
  });

  test('refuses a second start in the same data folder with a one-line error', async ({
    newFolder,
    start,
    refuse,
  }) => {
    const folder = newFolder();
    const first = await start(folder, 'local');

    const output = await refuse(folder, 'postgres');

    expect(output).toBe(
      `Another process (${first.process.pid}) is already using ${folder}: ` +
        'stop it, or set DATA_DIR.',
    );
  });

  test('creates no new data in a folder whose data is in Docker', async ({ newFolder, refuse }) => {
    const folder = newFolder();
    writeFileSync(join(folder, 'servers-from'), 'docker');

    const output = await refuse(folder, 'postgres');

    expect(output).toBe(
      `The data of ${folder} is in Docker, which does not respond: fix Docker, or set DATA_DIR.`,
    );
  });

  test.for([
    ['redis', /^Redis not found: set REDIS_URL .*, start Docker, or install Redis 7 .*\.$/],
    ['openfga', /^OpenFGA not found: set OPENFGA_API_URL .*, start Docker, or install .*\.$/],
  ] as const)(
    'names in one line the missing program %s and three ways to provide it',
    async ([needs, line], { newFolder, refuse }) => {
      const empty = newFolder();
      const bare = { PATH: empty, GOROOT: empty, XDG_CACHE_HOME: empty };

      const output = await refuse(newFolder(), needs, bare);

      expect(output).toMatch(line);
      expect(output.split('\n')).toHaveLength(1);
    },
  );
});

function findWatchdogs(parent: number | undefined): number[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.map(Number).filter((pid) => {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
      const ownParent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
      const isWatchdog = readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('watchdog.ts');
      return ownParent === parent && isWatchdog;
    } catch {
      return false;
    }
  });
}
