import { expect, test } from 'vitest';
import { ConcurrentUpdate, ObjectsOmitted } from '../../../src/authz/concurrent-update.ts';
import { createRetry } from '../../../src/authz/retry.ts';

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
  const result = await retry({ attempt, retry: attempt, owner: null, until }).catch(
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
