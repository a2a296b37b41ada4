import { setTimeout } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { questions, send, startStub } from '../../support/servers/openfga-stub.ts';

describe('an interruption, after which the store is compared (0006),', () => {
  const allowed = { result: { q0: { allowed: true } } };
  const [check] = questions(1);

  test('is not a slow check while a later one is answered', async () => {
    let isFirst = true;
    const { engine } = await startStub((_, response) => {
      if (isFirst) isFirst = false;
      else send(response, 200, allowed);
    }, 400);
    const slow = engine.batchCheck([check!]);
    await setTimeout(100);
    await engine.batchCheck([check!]);

    expect(await slow).toEqual([true]);
    expect(engine.interruptions.count()).toBe(0);
  });

  test('is a timeout during which nothing was answered', async () => {
    let isFirst = true;
    const { engine } = await startStub((_, response) => {
      if (isFirst) isFirst = false;
      else send(response, 200, allowed);
    }, 200);

    expect(await engine.batchCheck([check!])).toEqual([true]);

    expect(engine.interruptions.count()).toBe(1);
    expect(engine.interruptions.ageMs()).toBeGreaterThanOrEqual(200);
  });

  test('is a lost connection, even while other checks are answered', async () => {
    let received = 0;
    const { engine } = await startStub(async (_, response) => {
      if ((received += 1) > 1) return send(response, 200, allowed);
      await setTimeout(200);
      response.destroy();
    });
    const lost = engine.batchCheck([check!]);
    await expect.poll(() => received).toBe(1);
    await engine.batchCheck([check!]);

    expect(await lost).toEqual([true]);
    expect(engine.interruptions.count()).toBe(1);
    engine.interruptions.markCompared(1);
    expect([engine.interruptions.areCompared(), engine.interruptions.ageMs()]).toEqual([true, 0]);
  });

  test('is not a 429, which is tried again and does not count as an outage', async () => {
    const { engine, requests } = await startStub((_, response) => send(response, 429, {}));
    for (let refused = 0; refused < 6; refused += 1)
      await expect(engine.batchCheck([check!])).rejects.toMatchObject({ kind: 'unavailable' });

    expect(requests).toHaveLength(12);
    expect([engine.interruptions.count(), engine.isUnreachable()]).toEqual([0, false]);
  });
});

test('comparisons do not delay requests', async () => {
  const { engine, requests } = await startStub(({ body }, response) => {
    if (body.checks?.length === 1) send(response, 200, { result: { q0: { allowed: true } } });
  }, 400);
  const comparing = Array.from({ length: 8 }, () =>
    engine.comparison.batchCheck(questions(50)).catch((error: unknown) => error),
  );
  await expect.poll(() => requests.length).toBe(2);

  expect(await engine.batchCheck(questions(1))).toEqual([true]);

  await Promise.all(comparing);
});
