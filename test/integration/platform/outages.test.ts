import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { createEngine } from '../../../src/authz/engine/client.ts';
import { createDatabase, sql } from '../../../src/platform/postgres/database.ts';
import type { DatabaseOptions } from '../../../src/platform/postgres/database.ts';
import { asRefusal, isOutage } from '../../../src/platform/errors/outage.ts';
import { runScript } from '../../../src/platform/redis/redis-script.ts';
import { createRedis } from '../../../src/platform/redis/redis.ts';
import { createProxy } from '../../support/servers/proxy.ts';
import { useOwnRedis } from '../limits/own-redis.ts';

/** Returns the error with which the work fails. */
const errorOf = (work: Promise<unknown>): Promise<Error> =>
  work.then(
    () => new Error('no error'),
    (error: Error) => error,
  );
/** Reports whether the work fails with an outage, which must not depend on error messages. */
const outageOf = async (work: Promise<unknown>) => isOutage(withoutMessages(await errorOf(work)));

/** Replaces the messages of an error and its causes, as another driver version might. */
function withoutMessages(error: Error): Error {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause)
    // The first word of a Redis error is its code.
    cause.message = cause.name === 'ReplyError' ? `${cause.message.split(' ')[0]} x` : 'x';
  return error;
}

type Statement = ReturnType<typeof sql.unsafe>;

describe('PostgreSQL', () => {
  async function useDatabase(options: Partial<DatabaseOptions> = {}) {
    const proxy = await createProxy(inject('postgresUrl'));
    const database = await createDatabase({ url: proxy.url, onIdleError: () => {}, ...options });
    onTestFinished(async () => {
      await database.close();
      await proxy.close();
    });
    const { pool, authPool } = database;
    /** Runs the statement on every path to the server. */
    const run = (statement: Statement) => [
      authPool.query(statement.sql),
      pool.query(statement),
      database.transaction((transaction) => transaction.query(statement)),
    ];
    return { proxy, database, run };
  }
  const outagesOf = (works: readonly Promise<unknown>[]) => Promise.all(works.map(outageOf));
  const ALL = [true, true, true];

  test('a stopped server is an outage, for running statements and for later ones', async () => {
    const { proxy, run } = await useDatabase();
    const running = outagesOf(run(sql.unsafe`SELECT pg_sleep(1)`));
    await pause(300);

    proxy.down();

    expect(await running).toEqual(ALL);
    expect(await outagesOf(run(sql.unsafe`SELECT 1`))).toEqual(ALL);
    await proxy.close();
    expect(await outagesOf(run(sql.unsafe`SELECT 1`))).toEqual(ALL);
  });

  test('a hanging server is an outage, for open connections and for new ones', async () => {
    const { proxy, run } = await useDatabase();
    await Promise.all(run(sql.unsafe`SELECT 1`));
    proxy.stall();

    expect(await outagesOf(run(sql.unsafe`SELECT 1`))).toEqual(ALL);
    expect(await outagesOf(run(sql.unsafe`SELECT 1`))).toEqual(ALL);
  });

  test('a connection or statement ended by an administrator is an outage', async () => {
    const { run } = await useDatabase();
    const admin = await useDatabase();
    for (const end of ['pg_terminate_backend', 'pg_cancel_backend']) {
      const mark = sql.literalValue(randomUUID());
      const running = outagesOf(run(sql.unsafe`SELECT pg_sleep(1.5), ${mark}`));
      await pause(300);
      await admin.database.pool.query(sql.unsafe`
        SELECT ${sql.identifier([end])}(pid) FROM pg_stat_activity
        WHERE query LIKE '%' || ${mark} || '%' AND pid <> pg_backend_pid()`);
      expect(await running).toEqual(ALL);
    }
  });

  test.each(['cut', 'mute'] as const)(
    'a COMMIT whose reply is lost is reported as maybe committed (connection %s)',
    async (how) => {
      const { proxy, database } = await useDatabase();
      const write = (commits: string) =>
        database.transaction(async (transaction) => {
          await transaction.query(sql.unsafe`
            CREATE TEMPORARY TABLE one (id int UNIQUE DEFERRABLE INITIALLY DEFERRED) ON COMMIT DROP`);
          await transaction.query(sql.unsafe`INSERT INTO one VALUES (1), (${commits}::int)`);
        });

      const violated = asRefusal(await errorOf(write('1')));
      proxy.loseReply('COMMIT\0', how);
      const unanswered = await errorOf(write('2'));

      expect(violated).toBe(null);
      expect(proxy.lost()).toBe(1);
      expect(isOutage(unanswered)).toBe(true);
      expect(asRefusal(unanswered)).toMatchObject({ kind: 'unavailable' });
      expect(asRefusal(unanswered)?.message).toMatch(/^The request timed out\. .* saved anyway/);
    },
  );

  test('a statement cancelled after its timeout is an outage', async () => {
    const { run } = await useDatabase();

    expect(await outagesOf(run(sql.unsafe`SELECT pg_sleep(60)`))).toEqual(ALL);
  });

  test('a pool without a free connection is an outage for the hot path; other statements wait', async () => {
    const { database, run } = await useDatabase({ poolSize: 1, hotPoolSize: 1 });
    const { pool, authPool } = database;
    const busy = [
      pool.query(sql.unsafe`SELECT pg_sleep(1.5)`),
      authPool.query('SELECT pg_sleep(1.5)'),
    ];

    const [refused, ...waiting] = run(sql.unsafe`SELECT 1`);

    expect(await outageOf(refused!)).toBe(true);
    await Promise.all([...waiting, ...busy]);
  });

  test('a transaction ended by the idle timeout is an outage', async () => {
    const { database } = await useDatabase();

    const idle = database.transaction(async (transaction) => {
      await transaction.query(sql.unsafe`SET idle_in_transaction_session_timeout = 100`);
      await pause(400);
      await transaction.query(sql.unsafe`SELECT 1`);
    });

    expect(await outageOf(idle)).toBe(true);
  });

  test('a closed pool is an outage', async () => {
    const { database, run } = await useDatabase();
    await database.close();

    expect(await outagesOf(run(sql.unsafe`SELECT 1`))).toEqual(ALL);
  });

  test.each([
    sql.unsafe`SELEC 1`,
    sql.unsafe`SELECT 1 / 0`,
    sql.unsafe`SELECT * FROM missing`,
    sql.unsafe`SELECT 'x'::int`,
  ])('a refused $sql is not an outage: the server responded', async (statement) => {
    const { run } = await useDatabase();

    expect(await outagesOf(run(statement))).toEqual([false, false, false]);
  });
});

test('a misused statement is a defect, not an outage of PostgreSQL', async () => {
  const url = inject('postgresUrl');
  const { pool, close } = await createDatabase({ url, onIdleError: () => {} });
  onTestFinished(close);

  const misused = [
    pool.oneFirst(sql.unsafe`SELECT 1 AS one, 2 AS two`),
    pool.transaction(() => pool.one(sql.unsafe`SELECT 1 WHERE false`)),
    Promise.try(() => sql.array([1], sql.join([1], sql.fragment`,`) as never)),
  ];

  for (const error of await Promise.all(misused.map(errorOf))) expect(asRefusal(error)).toBe(null);
});

describe('Redis', () => {
  const script = { source: 'return 1', sha: 'e0e1f9fabfc9d4800c877a703b823ac0578ff8db' };
  async function useLink(url: string) {
    const proxy = await createProxy(url);
    const link = createRedis(proxy.url, `t${randomUUID().slice(0, 8)}:`, () => {});
    onTestFinished(async () => {
      await link.close();
      await proxy.close();
    });
    await link.ready(5_000);
    const run = (source = script.source) =>
      runScript(link.commands, { ...script, source }, [`${link.prefix}n`], []);
    await run();
    return { proxy, link, run };
  }

  test('a stopped server is an outage, for running commands and for later ones', async () => {
    const { proxy, run } = await useLink(inject('redisUrl'));
    proxy.delay(100);
    const running = outageOf(run());
    await pause(20);

    proxy.down();

    expect(await running).toBe(true);
    expect(await outageOf(run())).toBe(true);
    await pause(300);
    expect(await outageOf(run())).toBe(true);
  });

  test('a hanging server is an outage', async () => {
    const { proxy, run } = await useLink(inject('redisUrl'));
    proxy.stall();

    expect(await outageOf(run())).toBe(true);
  });

  test('a read-only or full server is an outage', async () => {
    const { url, admin } = await useOwnRedis();
    const { link } = await useLink(url);
    const write = { source: `return redis.call('set', KEYS[1], '1')`, sha: 'none' };
    const set = () => runScript(link.commands, write, [`${link.prefix}n`], []);
    await set();

    await admin.config('SET', 'maxmemory', '1');
    expect(await outageOf(set())).toBe(true);
    await admin.config('SET', 'maxmemory', '0');
    await admin.replicaof('127.0.0.1', '1');
    expect(await outageOf(set())).toBe(true);
  });

  test('a refused script is not an outage: the server responded', async () => {
    const { link } = await useLink(inject('redisUrl'));
    const broken = { source: 'return nothing.there', sha: 'none' };

    expect(await outageOf(runScript(link.commands, broken, [], []))).toBe(false);
  });
});

describe('OpenFGA', () => {
  const engineAt = (apiUrl: string) =>
    createEngine({
      apiUrl,
      apiToken: inject('openfgaApiToken') || undefined,
      storeId: '01HVMMBCMGZNT3SED4Z17ECXCA',
      modelId: '01HVMMBCMGZNT3SED4Z17ECXCB',
    });
  const question = { subject: 'user:ada', relation: 'can_see', object: 'account:ada' };
  const tuple = { user: 'user:ada', relation: 'owner', object: 'account:ada' };
  async function expectOutage(apiUrl: string): Promise<void> {
    const engine = engineAt(apiUrl);
    const refusal = asRefusal(withoutMessages(await errorOf(engine.batchCheck([question]))));
    expect(refusal?.kind).toBe('unavailable');
    expect(await engine.write({ writes: [tuple], deletes: [] })).toBe('unknown');
  }
  async function useProxy() {
    const proxy = await createProxy(inject('openfgaApiUrl'));
    onTestFinished(() => proxy.close());
    return proxy;
  }

  test('a hanging server is an outage', async () => {
    const proxy = await useProxy();
    proxy.stall();

    await expectOutage(proxy.url);
  });

  test('a server that closes its connections, or is not running, is an outage', async () => {
    const proxy = await useProxy();
    proxy.down();
    await expectOutage(proxy.url);
    await proxy.close();

    await expectOutage(proxy.url);
  });

  test.each([429, 500, 501, 502, 503, 504])(
    'a server that responds %s is an outage',
    async (status) => {
      const server = createServer((_, response) => {
        response.writeHead(status, { 'content-type': 'application/json' }).end('{}');
      }).listen(0, '127.0.0.1');
      await once(server, 'listening');
      onTestFinished(() => {
        server.closeAllConnections();
        server.close();
      });

      await expectOutage(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    },
  );

  test('a refused tuple is not an outage: the server responded', async () => {
    const engine = engineAt(inject('openfgaApiUrl'));

    expect(await engine.write({ writes: [{ ...tuple, user: 'nonsense' }], deletes: [] })).toBe(
      'invalid',
    );
  });
});
