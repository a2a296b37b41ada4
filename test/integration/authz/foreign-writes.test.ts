import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { RecordAudit } from '../../../src/authz/authz.ts';
import { createForeignWrites } from '../../../src/authz/foreign-writes/watch.ts';
import { tupleKey } from '../../../src/authz/tuple.ts';
import type { Tuple } from '../../../src/authz/tuple.ts';
import { createLog } from '../../../src/platform/observability/log.ts';
import { sql } from '../../../src/platform/postgres/database.ts';
import { driftOf } from '../../support/worlds/authority.ts';
import { useAuthority } from './use-authority.ts';

const { authority, revokeRefused } = await useAuthority();
const { engine, database, projections } = authority;
const log = createLog('silent');
/** Changes of authority of the longest test. */
const CHANGES = Number(process.env['FOREIGN_WRITES_CHANGES'] ?? 400);

type Entry = Parameters<RecordAudit>[1][number];

/** Longer than a Write of a busy machine takes: a younger one can become visible before it. */
const SETTLE_MS = 3_000;

/** Creates a process that compares every change at once, which is correct while nothing is written. */
function createProcess(settleMs = -1_000) {
  const entries: Entry[] = [];
  const process = createForeignWrites({
    ...{ database, engine, projections, log, settleMs },
    requireMatch() {},
    audit: async (_, added) => void entries.push(...added),
  });
  return {
    ...process,
    entries,
    /** Compares, and returns the findings since the last time. */
    async find() {
      await process.compare();
      return entries.splice(0).map(({ detail, scope }) => ({
        ...(detail as { operation: string; tuple: Tuple; written_at: string }),
        scope,
      }));
    },
  };
}

type Process = ReturnType<typeof createProcess>;

/** Compares as the only process, so that no test finds what another did; passes on what it finds first. */
async function inTurn<T>(
  use: (process: Process) => Promise<T>,
  onFound: (found: Awaited<ReturnType<Process['find']>>) => void = () => {},
) {
  const process = createProcess();
  onFound(await process.find());
  try {
    return await use(process);
  } finally {
    await process.stop();
  }
}

const tupleOn = (account: string, user = `api_key:${randomUUID()}`) => ({
  ...{ user, relation: 'declared_tools', object: `account:${account}` },
});

test('a tuple that is written directly is found once, one deleted directly too', async () => {
  await inTurn(async (process) => {
    const account = await authority.addAccount();
    const scope = { kind: 'account', id: account };
    const key = await authority.addKey(account);
    const [written, deleted] = [tupleOn(account), tupleOn(account, `api_key:${key}`)];
    await engine.write({ writes: [written], deletes: [] });
    const first = await process.find();
    await engine.write({ writes: [], deletes: [deleted] });
    const second = await process.find();

    const at = expect.any(String);
    expect(first).toEqual([{ operation: 'write', tuple: written, written_at: at, scope }]);
    expect(second).toEqual([{ operation: 'delete', tuple: deleted, written_at: at, scope }]);
    expect(process.count()).toBe(2);
    expect(await process.find()).toEqual([]);
  });
});

test('each foreign change counts, also among our own and in one Write', async () => {
  await inTurn(async (process) => {
    const accounts = [await authority.addAccount(), await authority.addAccount()];
    const foreign = [...accounts, ...accounts].map((account) => tupleOn(account));

    await Promise.all([
      engine.write({ writes: foreign.slice(0, 3), deletes: [] }),
      engine.write({ writes: foreign.slice(3), deletes: [] }),
      ...accounts.map((account) => authority.addKey(account)),
    ]);

    const found = await process.find();
    expect(found.map(({ scope }) => scope.id).toSorted()).toEqual(
      [...accounts, ...accounts].toSorted(),
    );
  });
});

test('changes and repairs of ours are not found', async () => {
  await driftOf(authority, { repair: true });
  await inTurn(async (process) => {
    const account = await authority.addAccount();
    const key = await authority.addKey(account);
    await authority.removeKey(account, key);
    const foreign = [tupleOn(account), tupleOn('mallory')];
    await engine.write({ writes: foreign, deletes: [] });
    await revokeRefused(account, await authority.addKey(account));
    expect(await process.find()).toHaveLength(3);

    // The scope is stuck, so that the repair writes its fencing token too.
    expect(await driftOf(authority, { repair: true })).toHaveLength(2);

    expect(await driftOf(authority, { repair: false })).toEqual([]);
    expect(await process.find()).toEqual([]);
    const left = await database.pool.exists(sql.unsafe`SELECT FROM authz_unfenced_write`);
    expect(left).toBe(false);
  });
});

test(
  'among many changes of ours, exactly the foreign ones are found',
  { timeout: 60_000 + CHANGES * 100 },
  async () => {
    await inTurn(async () => {});
    const reader = createProcess(SETTLE_MS);
    const accounts = await Promise.all(Array.from({ length: 8 }, () => authority.addAccount()));
    const foreign = accounts.map((account) => tupleOn(account));
    const change = async (account: string, index: number) => {
      for (let made = 0; made < CHANGES / accounts.length; made += 2) {
        await authority.removeKey(account, await authority.addKey(account));
        // In the midst of the others.
        if (made === 10) await engine.write({ writes: [foreign[index]!], deletes: [] });
      }
    };
    const state = { isChanging: true };
    const changed = Promise.all(accounts.map(change)).finally(
      () => void (state.isChanging = false),
    );
    const found: Awaited<ReturnType<typeof reader.find>> = [];
    while (state.isChanging) {
      found.push(...(await reader.find()));
      await setTimeout(100);
    }
    await changed;
    await reader.stop();
    // Nothing is being written any more.
    await inTurn(
      async () => {},
      (rest) => void found.push(...rest),
    );

    const keys = (tuples: typeof foreign) => tuples.map(tupleKey).toSorted();
    expect(keys(found.map((one) => one.tuple))).toEqual(keys(foreign));
  },
);

test('one of several processes finds a change, and another continues after its end', async () => {
  await inTurn(async () => {});
  const account = await authority.addAccount();
  const processes = [createProcess(), createProcess(), createProcess()];
  await engine.write({ writes: [tupleOn(account)], deletes: [] });

  const found = await Promise.all(processes.map(({ find }) => find()));
  expect(found.flat()).toHaveLength(1);
  const [finder, ...others] = processes.toSorted((a, b) => b.count() - a.count());
  await engine.write({ writes: [tupleOn(account)], deletes: [] });
  expect(await others[0]!.find()).toEqual([]);
  await finder!.stop();
  expect(await others[0]!.find()).toHaveLength(1);
  await others[0]!.stop();
  const started = createProcess();
  expect(await started.find()).toEqual([]);
  await started.stop();
});

test('a process that is slow saves nothing if another has read the same changes', async () => {
  await inTurn(async () => {});
  const account = await authority.addAccount();
  const [slow, fast] = [createProcess(), createProcess()];
  await engine.write({ writes: [tupleOn(account)], deletes: [] });
  const reading = Promise.withResolvers<void>();
  const slowed = createForeignWrites({
    ...{ database, projections, log, settleMs: -1_000 },
    requireMatch() {},
    audit: async () => expect.unreachable(),
    engine: {
      storeId: engine.storeId,
      async readChanges(from, size) {
        await reading.promise;
        return engine.readChanges(from, size);
      },
    },
  });
  const compared = slowed.compare();
  await expect
    .poll(() =>
      database.pool.exists(sql.unsafe`SELECT FROM authz_change_log WHERE claimed_until > now()`),
    )
    .toBe(true);
  await database.pool.query(sql.unsafe`UPDATE authz_change_log SET claimed_until = now()`);

  expect(await fast.find()).toHaveLength(1);
  reading.resolve();
  await compared;

  expect(slowed.count()).toBe(0);
  await Promise.all([slow, fast, slowed].map((process) => process.stop()));
});

test('if the audit log cannot be written, the change is found again', async () => {
  await inTurn(async () => {});
  const account = await authority.addAccount();
  await engine.write({ writes: [tupleOn(account)], deletes: [] });
  const failing = createForeignWrites({
    ...{ database, engine, projections, log, settleMs: -1_000 },
    requireMatch() {},
    audit: () => Promise.reject(new Error('no room')),
  });

  await expect(failing.compare()).rejects.toThrow('no room');
  await failing.stop();

  expect(failing.count()).toBe(0);
  await inTurn(async () => {});
});

test('changes are compared only once they are settled', async () => {
  await inTurn(async () => {});
  const account = await authority.addAccount();
  await engine.write({ writes: [tupleOn(account)], deletes: [] });
  const patient = createProcess(1_500);

  expect(await patient.find()).toEqual([]);
  await expect.poll(() => patient.find().then((found) => found.length)).toBe(1);
  await patient.stop();
});

test('the warning of a foreign write lasts 24 hours, or until a repair', async () => {
  await inTurn(async (process) => {
    const account = await authority.addAccount();
    await driftOf(authority, { repair: true });
    expect(await process.isWarned()).toBe(false);
    await engine.write({ writes: [tupleOn(account)], deletes: [] });
    await process.find();

    expect(await process.isWarned()).toBe(true);
    await driftOf(authority, { repair: false });
    expect(await process.isWarned()).toBe(true);
    const shift = (hours: number) =>
      database.pool.query(sql.unsafe`
        UPDATE authz_change_log SET last_foreign_at = last_foreign_at + make_interval(hours => ${hours})`);
    await shift(-24);
    expect(await process.isWarned()).toBe(false);
    await shift(24);
    await driftOf(authority, { repair: true });
    expect(await process.isWarned()).toBe(false);
  });
});

test('changes whose rows a restored database has lost are not found after a repair', async () => {
  await inTurn(async (process) => {
    const account = await authority.addAccount();
    await authority.addKey(account);
    await process.find();
    await authority.addKey(account);
    // As in a backup from before the last key.
    await database.pool.query(
      sql.unsafe`DELETE FROM authz_outbox WHERE id = ${account} AND seq = 3`,
    );
    await database.pool.query(
      sql.unsafe`UPDATE authz_scope SET revision = 2, applied = 2, position = 2 WHERE id = ${account}`,
    );

    await driftOf(authority, { repair: true });
    expect(await process.find()).toEqual([]);
    const tuple = tupleOn(account);
    await engine.write({ writes: [tuple], deletes: [] });

    expect(await process.find()).toMatchObject([{ tuple }]);
    await driftOf(authority, { repair: true });
  });
});
