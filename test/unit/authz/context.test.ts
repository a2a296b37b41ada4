import { beforeEach, expect, test } from 'vitest';
import type { CheckItem } from '../../../src/authz/engine/client.ts';
import { createContext } from '../../../src/authz/decisions/context.ts';
import { createDecisions } from '../../../src/authz/decisions/decisions.ts';
import type { Principal } from '../../../src/caller/principal.ts';

const seats = ['team_seat:red.ada', 'team_seat:blue.ada'];

let batches: CheckItem[][];
let decisions: ReturnType<typeof createDecisions>;
let contextOf: ReturnType<typeof createContext>;

/** Creates contexts over an engine that allows everything but the team blue. */
function createContexts(cached: boolean): void {
  batches = [];
  const engine = {
    modelId: 'm1',
    batchCheck: async (questions: readonly CheckItem[]) => {
      batches.push([...questions]);
      return questions.map(({ object }) => object !== seats[1]);
    },
  };
  decisions = createDecisions(engine as never, cached);
  contextOf = createContext({
    cached: async (caller) => decisions.cached(caller),
    checkEach: (caller, checks) => decisions.checkEach(caller, checks),
  });
}
beforeEach(() => createContexts(true));

/** Returns a new object for each request, as authentication does. */
const callerWith = (nonce: string) =>
  ({
    subject: 'api_key:k',
    context: 'membership:acme.ada',
    scopes: [{ kind: 'organization', id: 'acme', nonce }],
  }) as unknown as Principal;

test('the capabilities and all seats of a context are decided in one batch', async () => {
  const { connected, active } = await contextOf(callerWith('n1'), seats);

  expect([connected, [...active]]).toEqual([true, [seats[0]]]);
  expect(batches).toHaveLength(1);
});

test('a context is the same object until a nonce changes', async () => {
  const first = await contextOf(callerWith('n1'), seats);

  expect(await contextOf(callerWith('n1'), seats)).toBe(first);
  expect(batches).toHaveLength(1);
  expect(await contextOf(callerWith('n2'), seats)).not.toBe(first);
  expect(batches).toHaveLength(2);
});

test('another list of seats gets its own context', async () => {
  await contextOf(callerWith('n1'), seats);

  expect((await contextOf(callerWith('n1'), [])).active.size).toBe(0);
  expect((await contextOf(callerWith('n1'), seats.slice(0, 1))).active).toEqual(
    new Set(seats.slice(0, 1)),
  );
});

test('a context is decided again after the cached decisions are cleared', async () => {
  await contextOf(callerWith('n1'), seats);
  decisions.clear();
  await contextOf(callerWith('n1'), seats);

  expect(batches).toHaveLength(2);
});

test('with the cache off, every context is decided', async () => {
  createContexts(false);
  await contextOf(callerWith('n1'), seats);
  await contextOf(callerWith('n1'), seats);

  expect(batches).toHaveLength(2);
});
