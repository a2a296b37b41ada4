import fc from 'fast-check';
import { afterAll, beforeAll, test } from 'vitest';
import { openSession } from '../mcp/legacy/client.ts';
import { createStream, LISTS } from './session-stream.ts';
import type { SessionStream } from './session-stream.ts';
import { createStreamedWorld } from './streamed-organizations.ts';
import type { Change, StreamedWorld } from './streamed-organizations.ts';
import { checkProperty, scaledTimeout } from './trials.ts';

let streamed: StreamedWorld;
beforeAll(async () => {
  streamed = await createStreamedWorld();
}, 60_000);
afterAll(() => streamed?.close());

const SPACES = 7;
const KEYS = 6;
/** The keys that are bound to a team come first. */
const BOUND_KEYS = 3;

const anyGateway = fc.nat({ max: 1 });
const anyChange: fc.Arbitrary<Change> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      does: fc.constant('item' as const),
      space: fc.nat({ max: SPACES - 1 }),
      list: fc.constantFrom(...LISTS),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      does: fc.constant('rebind' as const),
      key: fc.nat({ max: BOUND_KEYS - 1 }),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ does: 'seat' as const }) },
);
/** Changes at a gateway; a stream that misses them is resumed afterwards, at any gateway. */
const anyStep = fc.record({
  at: anyGateway,
  // Each only once, since a list that changes back need not be announced.
  changes: fc.uniqueArray(anyChange, { minLength: 1, maxLength: 3, selector: JSON.stringify }),
  missedBy: fc.option(fc.record({ key: fc.nat({ max: KEYS - 1 }), at: anyGateway })),
});
type Step = typeof anyStep extends fc.Arbitrary<infer One> ? One : never;

type Lists = ReturnType<StreamedWorld['lists']>;

/** Opens a stream of each key, and expects on each exactly the changes of its own lists. */
async function followSteps(steps: readonly Step[], streams: readonly SessionStream[]) {
  const { gateways, shared, lists, change } = streamed;
  const expectChanges = (before: Lists, isRead: (key: number) => boolean) => {
    const after = lists();
    return Promise.all(
      streams.flatMap((stream, key) => {
        const changed = LISTS.filter((_, index) => before[key]![index] !== after[key]![index]);
        return isRead(key) ? [stream.expectAnnounced(changed)] : [];
      }),
    );
  };
  /** Changes each list of every key. */
  async function changeAll() {
    for (const list of LISTS) {
      const before = lists();
      for (const space of shared.keys()) await change({ does: 'item', space, list }, gateways[0]);
      await expectChanges(before, () => true);
    }
  }

  for (const stream of streams) await stream.open(0);
  // From then on, no list is new to a session, so that each event must be due.
  await changeAll();
  for (const { at, changes, missedBy } of steps) {
    const missing = missedBy === null ? null : streams[missedBy.key]!;
    await missing?.close();
    const missedSince = lists();
    for (const one of changes) {
      const before = lists();
      await change(one, gateways[at]!);
      await expectChanges(before, (key) => key !== missedBy?.key);
    }
    await missing?.open(missedBy!.at);
    await expectChanges(missedSince, (key) => key === missedBy?.key);
  }
  // An event that was not due would arrive before these.
  await changeAll();
}

test(
  'streams of keys in several organizations announce each change of their own lists once, even across reconnects to other gateways, and nothing of others (P20)',
  async () => {
    const { gateways, keys } = streamed;
    await checkProperty(
      3,
      fc.asyncProperty(fc.array(anyStep, { minLength: 3, maxLength: 6 }), async (steps) => {
        const streams = await Promise.all(
          keys.map(async ({ secret }) =>
            createStream(gateways, secret, await openSession(`${gateways[0].url}/mcp`, secret)),
          ),
        );
        try {
          await followSteps(steps, streams);
        } finally {
          for (const stream of streams) await stream.close();
        }
      }),
      100_000,
    );
  },
  scaledTimeout(120_000),
);
