import { spawn, spawnSync } from 'node:child_process';
import { setTimeout } from 'node:timers/promises';
import { afterEach, expect, test, vi } from 'vitest';
import {
  createWorkerPool,
  type WorkerPool,
  type WorkerPoolOptions,
} from '../../../src/catalog/worker-pool.ts';

const source = new URL('../../../src/catalog/worker-pool.ts', import.meta.url);
const module = new URL('./fixture-tools.ts', import.meta.url);
let workers: WorkerPool | undefined;
afterEach(() => workers?.close());

function start(options: WorkerPoolOptions = {}) {
  const started = createWorkerPool({ module, deadlineMs: 10_000, ...options });
  workers = started;
  return (behavior: string, { signal = new AbortController().signal, fairnessKey = 'one' } = {}) =>
    started.compute(
      { tool: 'behave', input: { behavior }, now: new Date() },
      { signal, fairnessKey, requirePermitted: async () => {} },
    );
}

test('a result and a tool failure pass between processes unchanged, and a defect has no error code', async () => {
  const behave = start();

  expect(await behave('echo')).toEqual({ answer: 'echo' });
  await expect(behave('fail')).rejects.toMatchObject({
    name: 'ToolFailure',
    code: 'out_of_range',
    message: 'No.',
    details: { because: 'tests' },
  });
  await expect(behave('break')).rejects.not.toHaveProperty('code');
});

test('a computation that is no longer permitted when its turn comes does not run, and frees its process (A5)', async () => {
  const started = createWorkerPool({ module, size: 1 });
  workers = started;
  let isPermitted = true;
  const asked: string[] = [];
  const compute = (behavior: string) =>
    started.compute(
      { tool: 'behave', input: { behavior }, now: new Date() },
      {
        signal: new AbortController().signal,
        fairnessKey: 'one',
        async requirePermitted() {
          asked.push(behavior);
          if (!isPermitted) throw new Error('revoked');
        },
      },
    );

  const first = compute('echo').then((answer) => {
    isPermitted = false;
    return answer;
  });
  const results = await Promise.allSettled([first, compute('loop')]);
  isPermitted = true;

  expect(results).toMatchObject([{ status: 'fulfilled' }, { reason: new Error('revoked') }]);
  expect(await compute('echo')).toEqual({ answer: 'echo' });
  expect(asked).toEqual(['echo', 'loop', 'echo']);
});

test.each([
  ['loop', 'too_complex', { deadlineMs: 300 }],
  ['hoard', 'too_complex', { memoryMb: 32, deadlineMs: 25_000 }],
  ['recurse', 'too_complex', {}],
  ['flood', 'result_too_large', {}],
])('%s fails as %s, and the next computation succeeds', async (behavior, code, options) => {
  const behave = start({ size: 1, ...options });

  await expect(behave(behavior)).rejects.toMatchObject({ name: 'ToolFailure', code });

  expect(await behave('echo')).toEqual({ answer: 'echo' });
});

test.each([0, 200])('cancelled after %d ms, a computation frees its process', async (delayMs) => {
  const behave = start({ size: 1 });
  const controller = new AbortController();
  const reason = new Error('the client left');

  const answers = Promise.allSettled([
    behave('loop', controller),
    behave('loop', controller),
    behave('echo'),
  ]);
  if (delayMs > 0) await setTimeout(delayMs);
  controller.abort(reason);

  expect(await answers).toEqual([
    { status: 'rejected', reason },
    { status: 'rejected', reason },
    { status: 'fulfilled', value: { answer: 'echo' } },
  ]);
});

test('computations beyond the pool size wait, and those beyond the queue limit are refused as busy', async () => {
  const behave = start({ size: 1, maxWaiting: 2 });

  const answers = await Promise.allSettled([1, 2, 3, 4].map(() => behave('echo')));

  expect(answers.map(({ status }) => status)).toEqual([
    'fulfilled',
    'fulfilled',
    'fulfilled',
    'rejected',
  ]);
  expect(answers[3]).toMatchObject({ reason: { code: 'busy' } });
});

test('keys take turns: many queued computations of one key do not delay other keys', async () => {
  const behave = start({ size: 1 });
  const ended: string[] = [];
  const compute = async (fairnessKey: string) => {
    await behave('echo', { fairnessKey });
    ended.push(fairnessKey);
  };

  await Promise.all(['a', 'a', 'a', 'a', 'b', 'b', 'c'].map(compute));

  expect(ended).toEqual(['a', 'a', 'b', 'c', 'a', 'b', 'a']);
});

test('one key cannot occupy every process', async () => {
  const behave = start({ size: 2, deadlineMs: 60_000 });
  const left = new AbortController();
  const loops = ['loop', 'loop', 'loop'].map((behavior) =>
    behave(behavior, { fairnessKey: 'a', signal: left.signal }).catch(() => 'left'),
  );

  const other = await Promise.race([behave('echo', { fairnessKey: 'b' }), ...loops]);
  left.abort();

  expect(other).toEqual({ answer: 'echo' });
  expect(await Promise.all(loops)).toEqual(['left', 'left', 'left']);
});

test('one key can fill only part of the queue, and cancelling frees its share', async () => {
  const behave = start({ size: 1, maxWaitingPerKey: 2 });
  const cancelled = new AbortController();
  const compute = async (fairnessKey: string, signal = cancelled.signal) => {
    const codeOf = (error: { code: string }) => error.code;
    return behave('echo', { fairnessKey, signal }).then(() => 'served', codeOf);
  };
  const kept = new AbortController().signal;

  const waiting = ['a', 'a', 'a'].map((key) => compute(key));
  const overLimit = await compute('a');
  const other = compute('b', kept);
  cancelled.abort({ code: 'cancelled' });
  const afterwards = [compute('a', kept), compute('a', kept), compute('a', kept)];

  expect(await Promise.all(waiting)).toEqual(['cancelled', 'cancelled', 'cancelled']);
  expect([overLimit, await other]).toEqual(['busy', 'served']);
  expect(await Promise.all(afterwards)).toEqual(['served', 'served', 'busy']);
});

test('an idle process ends, and the next computation starts a new one', async () => {
  const behave = start({ size: 1, idleMs: 1 });

  expect(await behave('echo')).toEqual({ answer: 'echo' });
  await setTimeout(100);

  expect(await behave('echo')).toEqual({ answer: 'echo' });
});

test("the gateway's environment is not passed to a computation", async () => {
  const behave = start();

  const { answer } = (await behave('environment')) as { answer: string[] };

  // The path of the compile cache is not secret, and the cache saves a second at each start.
  expect(answer.filter((name) => name !== 'NODE_COMPILE_CACHE')).toEqual([]);
});

test('close ends running and idle processes and starts no waiting computation', async () => {
  const behave = start({ size: 2, deadlineMs: 60_000 });
  const keys = ['a', 'b', 'c'].map((fairnessKey) => ({ fairnessKey }));
  const pidRequests = keys.slice(0, 2).map((key) => behave('pid', key));
  const pids = (await Promise.all(pidRequests)) as { answer: number }[];
  const codeOf = (error: { code: string }) => error.code;
  const endless = keys.map((key) => behave('loop', key).catch(codeOf));
  await setTimeout(200);

  await workers?.close();

  expect(await Promise.all(endless)).toEqual(['too_complex', 'too_complex', 'busy']);
  expect(new Set(pids.map(({ answer }) => answer)).size).toBe(2);
  expect(pids.map(({ answer }) => isRunning(answer))).toEqual([false, false]);
});

test.each(['echo', 'loop'])(
  'a process ends when its gateway is killed (behavior: %s)',
  async (behavior) => {
    const program = `
    import { createWorkerPool } from '${source.href}';
    const workers = createWorkerPool({ module: new URL('${module.href}') });
    const behave = (behavior) => workers.compute(
      { tool: 'behave', input: { behavior }, now: new Date() },
      { signal: new AbortController().signal, fairnessKey: 'one', requirePermitted: async () => {} },
    );
    setInterval(() => {}, 1000);
    const { answer } = await behave('pid');
    setTimeout(() => console.log(answer), 200);
    await behave('${behavior}');
  `;
    const gateway = spawn(process.execPath, ['--input-type=module', '-e', program], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const pid = await new Promise<number>((resolve) => {
      gateway.stdout.once('data', (line: Buffer) => resolve(Number(line.toString())));
    });
    expect(isRunning(pid)).toBe(true);

    gateway.kill('SIGKILL');

    await vi.waitFor(() => expect(isRunning(pid)).toBe(false), { timeout: 15_000, interval: 200 });
  },
);

/** Returns false for a zombie, which only waits for init to reap it. */
function isRunning(pid: number): boolean {
  const { stdout } = spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' });
  return /^[^Z\s]/.test(stdout);
}
