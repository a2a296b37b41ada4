import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { ConcurrentUpdate, ObjectsOmitted } from '../../../src/authz/changes/concurrent-update.ts';
import { createRetry } from '../../../src/authz/changes/retry.ts';

/** Runs work whose tries fail in these ways, and then succeed. */
async function run(...failures: readonly Error[]) {
  let tries = 0;
  const attempt = async () => {
    const failure = failures[tries];
    tries += 1;
    if (failure !== undefined) throw failure;
    return 'saved';
  };
  const retry = createRetry();
  const until = performance.now() + 60_000;
  const result = await retry({ attempt, retry: attempt, contended: null, until }).catch(
    (error: unknown) => error,
  );
  return { result, tries };
}

const omitted = () => new ObjectsOmitted('team.delete touches rows of team:1');

test.each([
  ['first', [omitted()]],
  ['after another race', [new ConcurrentUpdate(), omitted()]],
  ['before another race', [omitted(), new ConcurrentUpdate(), new ConcurrentUpdate()]],
])(
  'a change whose list of objects is outdated is decided again, if that happens %s',
  async (_, failures) => {
    expect(await run(...failures)).toEqual({ result: 'saved', tries: failures.length + 1 });
  },
);

test('a change that omits its objects again fails as a bug', async () => {
  const { result, tries } = await run(omitted(), new ConcurrentUpdate(), omitted(), omitted());

  expect(tries).toBe(3);
  expect(result).toBeInstanceOf(TypeError);
  expect(result).toMatchObject({ message: 'team.delete touches rows of team:1' });
});

const scope = { kind: 'organization', id: 'acme' } as const;
const contended = { scope, by: 'ada' };

/** Changes of one scope: each fails if another one was saved since it was decided, as in a database. */
function createContention() {
  let version = 0;
  const retry = createRetry();
  const saved: string[] = [];
  async function change(name: string, decision_ms: number) {
    let tries = 0;
    const attempt = async () => {
      tries += 1;
      const decided = version;
      await setTimeout(decision_ms);
      if (decided !== version) throw new ConcurrentUpdate();
      version += 1;
      saved.push(name);
    };
    const until = performance.now() + 60_000;
    await retry({ attempt, retry: attempt, contended, until });
    return tries;
  }
  return { change, saved };
}

test('a change that failed is not passed by those that arrive later', async () => {
  const { change, saved } = createContention();
  const quick = change('quick', 1);
  const slow = change('slow', 20);
  await quick;
  await setTimeout(25);
  const late = Array.from({ length: 20 }, () => change('late', 1));

  await Promise.all([slow, ...late]);

  expect(saved.slice(0, 2)).toEqual(['quick', 'slow']);
});

test('while changes of one scope take turns, each is decided once', async () => {
  const { change } = createContention();
  const first = [change('a', 5), change('b', 5)];
  await setTimeout(7);

  const tries = await Promise.all(Array.from({ length: 10 }, () => change('late', 5)));

  await Promise.all(first);
  expect(tries).toEqual(Array.from({ length: 10 }, () => 1));
});

test('a change that takes long keeps its turn for a moment, then the next one tries', async () => {
  const retry = createRetry();
  const until = performance.now() + 60_000;
  const order: string[] = [];
  const slow = retry({
    attempt: () => Promise.reject(new ConcurrentUpdate()),
    retry: async () => {
      await setTimeout(1_000);
      order.push('slow');
    },
    contended,
    until,
  });
  await setTimeout(1);
  const next = async () => void order.push('next');

  await Promise.all([slow, retry({ attempt: next, retry: next, contended, until })]);

  expect(order).toEqual(['next', 'slow']);
});

test('who makes many changes delays the change of another one by one turn', async () => {
  const retry = createRetry();
  const until = performance.now() + 60_000;
  const order: string[] = [];
  const change = (by: string) => {
    const attempt = async () => {
      await setTimeout(5);
      order.push(by);
    };
    return retry({ attempt, retry: attempt, contended: { scope, by }, until });
  };
  const first = retry({
    attempt: () => Promise.reject(new ConcurrentUpdate()),
    retry: () => setTimeout(20),
    contended,
    until,
  });
  await setTimeout(1);

  await Promise.all([first, ...Array.from({ length: 20 }, () => change('many')), change('one')]);

  expect(order.indexOf('one')).toBeLessThanOrEqual(1);
});
