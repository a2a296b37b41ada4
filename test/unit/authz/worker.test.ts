import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createWorker } from '../../../src/authz/changes/worker.ts';
import type { Database } from '../../../src/platform/postgres/database.ts';
import { createLog } from '../../../src/platform/observability/log.ts';

beforeEach(
  () =>
    void vi.useFakeTimers({
      toFake: ['setInterval', 'clearInterval', 'setTimeout', 'clearTimeout', 'performance'],
    }),
);
afterEach(() => void vi.useRealTimers());

test('the worker sweeps the outbox once an hour, plus or minus ten percent', async () => {
  const swept: string[] = [];
  const pool = {
    any: async () => [],
    query: async ({ sql }: { sql: string }) => (swept.push(sql), { rowCount: 0 }),
  };
  const worker = createWorker({
    database: { pool } as unknown as Database,
    appliers: { apply: async () => true },
    log: createLog('silent'),
  });

  worker.start();
  await vi.advanceTimersByTimeAsync(3_230_000);
  const early = swept.length;
  await vi.advanceTimersByTimeAsync(740_000);
  await worker.stop();

  expect(early).toBe(0);
  expect(swept).toEqual(
    ['authz_outbox', 'authz_unfenced_write'].map((table) =>
      expect.stringContaining(`DELETE FROM "${table}"`),
    ),
  );
});
