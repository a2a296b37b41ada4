import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { withProgress } from '../../../src/content/upstreams/progress.ts';
import type { Progress } from '../../../src/catalog/tool.ts';

/** Redaction that takes a while, like that of a long text. */
const slowRedaction = {
  async text(text: string) {
    await pause(20);
    return text;
  },
  json: async (value: unknown) => value,
};

test.each(['succeeds', 'fails'])('a call that %s ends after its progress is sent', async (how) => {
  const seen: (string | undefined)[] = [];
  const onProgress = ({ message }: Progress) => void seen.push(message);
  const failure = new Error('the upstream failed');

  const call = withProgress({ onProgress, redaction: slowRedaction }, async (report) => {
    report?.({ progress: 1, message: 'one' });
    report?.({ progress: 2, message: 'two' });
    if (how === 'fails') throw failure;
    return 'result';
  });

  if (how === 'fails') await expect(call).rejects.toBe(failure);
  else expect(await call).toBe('result');
  expect(seen).toEqual(['one', 'two']);
});

test('a call whose progress cannot be sent still returns its result', async () => {
  const onProgress = () => {
    throw new Error('the stream is closed');
  };

  const call = withProgress({ onProgress, redaction: slowRedaction }, async (report) => {
    report?.({ progress: 1 });
    await pause(20);
    return 'result';
  });

  expect(await call).toBe('result');
});
