import { expect, test, vi } from 'vitest';
import { createHeartbeat } from '../../../src/jobs/heartbeat.ts';
import { createRunningJob } from '../../../src/jobs/running.ts';
import type { Log } from '../../../src/platform/observability/log.ts';
import type { Queryable } from '../../../src/platform/postgres/database.ts';

test('heartbeats stop even if a job still runs, since the gateway must end', async () => {
  const any = vi.fn(async () => []);
  const heartbeat = createHeartbeat({
    pool: { any } as unknown as Queryable,
    running: new Map([['job', createRunningJob('job')]]),
    log: {} as Log,
  });
  heartbeat.start();

  await heartbeat.stop();

  expect(any).toHaveBeenCalledOnce();
});
