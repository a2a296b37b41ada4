import { expect, test } from 'vitest';
import type { AgentPrincipal } from '../../../src/caller/principal.ts';
import { createViewOnce } from '../../../src/visibility/view-once.ts';
import type { View } from '../../../src/visibility/visibility.ts';

const callerNamed = (id: string) => ({ credential: { id } }) as AgentPrincipal;

function setUp() {
  const state = { reads: 0, generation: {}, isDown: false };
  // Keeps the views alive, as the view cache does.
  const held: View[] = [];
  const viewOf = createViewOnce(
    async () => {
      state.reads += 1;
      if (state.isDown) throw new Error('unreachable');
      const view = { connected: true } as View;
      held.push(view);
      return view;
    },
    () => state.generation,
  );
  return { state, viewOf };
}

test('requests with the same caller object share one view, at the same time and later', async () => {
  const { state, viewOf } = setUp();
  const caller = callerNamed('key');

  const [first, second] = await Promise.all([viewOf(caller), viewOf(caller)]);
  const later = await viewOf(caller);

  expect([second, later]).toEqual([first, first]);
  expect(later).toBe(first);
  expect(state.reads).toBe(1);
});

test('another caller object gets a view of its own', async () => {
  const { viewOf } = setUp();

  expect(await viewOf(callerNamed('key'))).not.toBe(await viewOf(callerNamed('key')));
});

test('a failure is not remembered', async () => {
  const { state, viewOf } = setUp();
  const caller = callerNamed('key');
  state.isDown = true;
  await expect(viewOf(caller)).rejects.toThrow('unreachable');

  state.isDown = false;

  expect(await viewOf(caller)).toMatchObject({ connected: true });
});

test('a request that joined a failing read reads the view itself, and others join it', async () => {
  const { state, viewOf } = setUp();
  const caller = callerNamed('key');
  state.isDown = true;
  const first = viewOf(caller);
  const joined = [viewOf(caller), viewOf(caller)];
  state.isDown = false;

  await expect(first).rejects.toThrow('unreachable');
  const [second, third] = await Promise.all(joined);

  expect(third).toBe(second);
  expect(state.reads).toBe(2);
});

test('a view is read again once the decisions under it are dropped, also while it is read', async () => {
  const { state, viewOf } = setUp();
  const caller = callerNamed('key');
  const reading = viewOf(caller);

  state.generation = {};
  const [former, current] = await Promise.all([reading, viewOf(caller)]);

  expect(current).not.toBe(former);
  expect(await viewOf(caller)).toBe(current);
  expect(state.reads).toBe(2);
});
