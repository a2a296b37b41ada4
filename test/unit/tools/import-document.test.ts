import { setImmediate } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { createImportDocument } from '../../../src/content/tools/import-document.ts';

const NEVER = new AbortController().signal;
const request = { operations: undefined, takenNames: [] };
const byUrl = { ...request, document: undefined, url: 'https://api.example/openapi.json' };

test('few documents are downloaded at once, one for each owner; further imports are refused', async () => {
  const finish: (() => void)[] = [];
  const fetch = vi.fn(
    () =>
      new Promise<never>((_, reject) => {
        finish.push(() => reject(new Error('unreachable')));
      }),
  );
  const compute = vi.fn();
  const importDocument = createImportDocument({
    outbound: { fetch },
    documentWorkers: { compute },
  });
  const start = (fairnessKey: string) => importDocument({ ...byUrl, fairnessKey }, NEVER);

  const ofOne = Promise.allSettled(Array.from({ length: 5 }, () => start('one')));
  await setImmediate();
  expect(fetch).toHaveBeenCalledTimes(1);
  const ofOthers = Promise.allSettled(Array.from({ length: 60 }, (_, index) => start(`k${index}`)));
  await setImmediate();
  expect(fetch).toHaveBeenCalledTimes(8);
  while (finish.length > 0) {
    finish.shift()!();
    await setImmediate();
  }

  const reasons = [...(await ofOne), ...(await ofOthers)].map(
    (result) => result.status === 'rejected' && String(result.reason.kind ?? 'failed'),
  );
  expect(reasons.filter((reason) => reason === 'failed')).toHaveLength(40);
  expect(reasons.filter((reason) => reason === 'unavailable')).toHaveLength(25);
});

test('owners with slow documents, who always have another import waiting, do not delay a new owner', async () => {
  vi.useFakeTimers();
  const begun: string[] = [];
  const fetch = vi.fn(({ url }: { url: string }) => {
    begun.push(url);
    const { promise, reject } = Promise.withResolvers<never>();
    setTimeout(() => reject(new Error('slow')), 15_000);
    return promise;
  });
  const importDocument = createImportDocument({
    outbound: { fetch },
    documentWorkers: { compute: vi.fn() },
  });
  const start = (owner: string) =>
    importDocument({ ...byUrl, url: owner, fairnessKey: owner }, NEVER).catch(() => {});
  const slow = Array.from({ length: 16 }, (_, index) => `slow${index}`);
  const again = async (owner: string) => {
    for (let count = 0; count < 4; count += 1) await start(owner);
  };
  for (const owner of slow) void again(owner);
  await vi.advanceTimersByTimeAsync(31_000);
  const before = begun.length;

  void start('new');
  await vi.advanceTimersByTimeAsync(15_000);
  vi.useRealTimers();

  expect(begun[before]).toBe('new');
});

test('a document in the body is read by a worker process too', async () => {
  const compute = vi.fn(async () => ({ swagger: true }));
  const importDocument = createImportDocument({
    outbound: { fetch: vi.fn() },
    documentWorkers: { compute },
  });
  const document = { swagger: '2.0' };

  const output = await importDocument(
    { ...request, document, url: undefined, fairnessKey: 'one' },
    NEVER,
  );

  expect(output).toEqual({ swagger: true });
  const [task] = compute.mock.calls[0] as unknown as [{ input: { bytes: Uint8Array } }];
  expect(JSON.parse(new TextDecoder().decode(task.input.bytes))).toEqual(document);
});

test('an import that waits too long for a worker process is asked to try again', async () => {
  const ended = new DOMException('The operation was aborted due to timeout', 'TimeoutError');
  const timeout = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(AbortSignal.abort(ended));
  const importDocument = createImportDocument({
    outbound: { fetch: vi.fn() },
    documentWorkers: { compute: async (_task, { signal }) => signal.throwIfAborted() },
  });

  const imports = [byUrl, { ...byUrl, url: undefined, document: {} }].map((input) =>
    importDocument({ ...input, fairnessKey: 'one' }, NEVER),
  );

  const outcomes = await Promise.allSettled(imports);
  timeout.mockRestore();
  const refusal = { kind: 'unavailable', code: 'service_unavailable', retryAfterSeconds: 1 };
  expect(outcomes).toMatchObject([{ reason: refusal }, { reason: refusal }]);
});

test('an import whose job ends stops its download and its worker process, and throws why', async () => {
  const reason = new Error('the job has ended');
  const signals: AbortSignal[] = [];
  const untilAborted = (signal: AbortSignal) =>
    new Promise<never>((_, reject) => {
      signals.push(signal);
      signal.addEventListener('abort', () => reject(new Error('aborted')));
    });
  const importDocument = createImportDocument({
    outbound: { fetch: ({ signal }) => untilAborted(signal!) },
    documentWorkers: { compute: async (_task, { signal }) => untilAborted(signal) },
  });
  for (const input of [byUrl, { ...byUrl, url: undefined, document: {} }]) {
    const job = new AbortController();
    const result = importDocument({ ...input, fairnessKey: 'one' }, job.signal);
    await setImmediate();

    job.abort(reason);

    expect(signals.pop()!.aborted).toBe(true);
    await expect(result).rejects.toBe(reason);
  }
});
