import { readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { MAX_REQUESTS } from '../../../src/authz/engine/client.ts';
import { MODEL, questions, send, startStub } from '../../support/servers/openfga-stub.ts';
import type { Answer, RecordedRequest } from '../../support/servers/openfga-stub.ts';

/** Allows users with an even number; lists the results from last to first. */
const allowEven = ({ body }: RecordedRequest) =>
  (body.checks ?? [])
    .map(({ correlation_id: id, tuple_key: { user } }): [string, object] => [
      id,
      { allowed: Number(user.slice('user:'.length)) % 2 === 0 },
    ])
    .toReversed();

const unavailable = { kind: 'unavailable' };

describe('checks', () => {
  test('get their own results, regardless of response order and number of batches', async () => {
    const { engine, requests } = await startStub((one, response) =>
      send(response, 200, { result: Object.fromEntries(allowEven(one)) }),
    );

    const answers = await engine.batchCheck(questions(120));

    expect(answers).toEqual(questions(120).map((_, n) => n % 2 === 0));
    expect(requests.map(({ body }) => body.checks!.length).toSorted((a, b) => a - b)).toEqual([
      20, 50, 50,
    ]);
  });

  test('use the pinned model and HIGHER_CONSISTENCY', async () => {
    const { engine, requests } = await startStub((one, response) =>
      send(response, 200, { result: Object.fromEntries(allowEven(one)) }),
    );

    await engine.batchCheck(questions(1));

    expect(requests).toMatchObject([
      { body: { authorization_model_id: MODEL, consistency: 'HIGHER_CONSISTENCY' } },
    ]);
  });

  const failure = { error: { input_error: 'validation_error', message: 'too deep' } };
  type Break = (answers: Map<string, object>, first: string) => void;
  const broken: [what: string, breakIt: Break][] = [
    ['lacks one', (answers, first) => void answers.delete(first)],
    ['lacks all', (answers) => answers.clear()],
    ['has an error for one', (answers, first) => void answers.set(first, failure)],
    [
      'allows one and has an error for it',
      (answers, first) => void answers.set(first, { allowed: true, ...failure }),
    ],
    ['has no answer for one', (answers, first) => void answers.set(first, {})],
    [
      'has a result for another check',
      (answers, first) => {
        answers.delete(first);
        answers.set('q9', { allowed: true });
      },
    ],
  ];

  test.each(broken)('all fail if a response %s (F-O2)', async (_, breakIt) => {
    const { engine } = await startStub((one, response) => {
      const answers = new Map(allowEven(one));
      breakIt(answers, [...answers.keys()][0]!);
      send(response, 200, { result: Object.fromEntries(answers) });
    });

    await expect(engine.batchCheck(questions(4))).rejects.toMatchObject(unavailable);
  });
});

describe('a decision of many checks', () => {
  /** Answers after a pause; returns how many requests were open at the same time. */
  async function startSlow(pauseMs: number, answer: Answer) {
    const open = { now: 0, most: 0 };
    const stub = await startStub(async (one, response) => {
      open.most = Math.max(open.most, (open.now += 1));
      await setTimeout(pauseMs);
      open.now -= 1;
      void answer(one, response);
    }, 400);
    return { ...stub, open };
  }

  test('has a deadline for each batch, and at most four batches at a time', async () => {
    const { engine, requests, open } = await startSlow(100, (one, response) =>
      send(response, 200, { result: Object.fromEntries(allowEven(one)) }),
    );

    const answers = await engine.batchCheck(questions(3_000));

    expect(answers).toEqual(questions(3_000).map((_, n) => n % 2 === 0));
    expect([requests.length, open.most]).toEqual([60, 4]);
  });

  test('leaves free slots to others', async () => {
    const { engine, requests } = await startStub(({ body }, response) => {
      if (body.checks?.length === 1) send(response, 200, { result: { q0: { allowed: true } } });
    }, 400);
    const large = engine.batchCheck(questions(3_000)).catch((error: unknown) => error);
    await expect.poll(() => requests.length).toBe(4);

    expect(await engine.batchCheck(questions(1))).toEqual([true]);

    expect(await large).toMatchObject(unavailable);
  });

  test('sends no more batches once one has failed', async () => {
    const { engine, requests } = await startSlow(20, (_, response) => send(response, 400, {}));

    await expect(engine.batchCheck(questions(3_000))).rejects.toMatchObject(unavailable);

    expect(requests).toHaveLength(4);
  });
});

describe('a server without a usable response', () => {
  const outages: [what: string, answer: Answer][] = [
    ['fails', (_, response) => send(response, 500, { code: 'internal_error' })],
    [
      'sends Retry-After: 1800',
      (_, response) => send(response, 429, {}, { 'retry-after': '1800' }),
    ],
    ['does not respond', () => {}],
    ['sends HTML', (_, response) => void response.writeHead(200).end('<html>')],
  ];

  test.each(outages)(
    'that %s is reported as an outage within our own timeout (F-O2)',
    async (_, answer) => {
      const { engine } = await startStub(answer, 100);

      await expect(engine.batchCheck(questions(1))).rejects.toMatchObject(unavailable);
    },
  );

  test('is not called again after five failures: later checks fail at once', async () => {
    const { engine, requests } = await startStub((_, response) => send(response, 500, {}));
    for (let failed = 0; failed < 5; failed += 1)
      await engine.batchCheck(questions(1)).catch(() => {});
    const before = requests.length;

    const later = await Promise.allSettled(
      Array.from({ length: 20 }, () => engine.batchCheck(questions(1))),
    );

    expect(later.every(({ status }) => status === 'rejected')).toBe(true);
    expect(requests.length).toBe(before);
  });
});

describe('a Write', () => {
  const tuple = { user: 'user:1', relation: 'session', object: 'account:1' };
  const outcomes: [outcome: string, status: number, body: object][] = [
    ['written', 200, {}],
    ['refused', 400, { code: 'write_failed_due_to_invalid_input', message: 'it is there' }],
    ['invalid', 400, { code: 'validation_error', message: 'no such relation' }],
    ['unknown', 409, { code: 'Aborted', message: 'a conflict' }],
    ['unknown', 500, { code: 'internal_error', message: 'oh' }],
    ['unknown', 404, { code: 'store_id_not_found', message: 'gone' }],
  ];

  test.each(outcomes)('is %s when the server responds %i %o', async (outcome, status, body) => {
    const { engine } = await startStub((_, response) => send(response, status, body));

    expect(await engine.write({ writes: [tuple], deletes: [] })).toBe(outcome);
  });

  test('never tells the server to ignore duplicate or missing tuples', async () => {
    const { engine, requests } = await startStub((_, response) => send(response, 200, {}));

    await engine.write({ writes: [tuple], deletes: [{ ...tuple, object: 'account:2' }] });

    expect(requests).toHaveLength(1);
    expect(JSON.stringify(requests[0]!.body)).not.toContain('ignore');
    expect(requests[0]!.body).toMatchObject({
      writes: { tuple_keys: [tuple] },
      deletes: { tuple_keys: [{ ...tuple, object: 'account:2' }] },
    });
  });
});

test('explanations and changes have separate concurrency limits', async () => {
  const { engine, requests } = await startStub(({ path }, response) => {
    if (path.endsWith('/write')) send(response, 200, {});
  });
  const explained = Array.from({ length: 20 }, (_, n) =>
    engine.lookUp({ object: `account:${n}` }).catch((error: unknown) => error),
  );
  await expect.poll(() => requests.length).toBeGreaterThan(0);

  const outcome = await engine.write({
    writes: [{ user: 'user:1', relation: 'session', object: 'account:1' }],
    deletes: [],
  });

  expect(outcome).toBe('written');
  const reads = requests.filter(({ path }) => path.endsWith('/read'));
  expect(reads).toHaveLength(2);
  await Promise.all(explained);
}, 60_000);

test('the operator’s guide says how many requests a gateway has in flight at most', () => {
  const guide = readFileSync(new URL('../../../docs/operations.md', import.meta.url), 'utf8');

  expect(guide).toContain(`at most ${MAX_REQUESTS} requests to OpenFGA in flight`);
});
