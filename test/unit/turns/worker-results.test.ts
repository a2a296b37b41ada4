import { afterAll, expect, test } from 'vitest';
import { createWorkerPool } from '../../../src/catalog/worker-pool.ts';
import { structuredReply } from '../../../src/mcp/calls/run-tool.ts';
import { heldShare } from '../../support/longest-turn.ts';

const workers = createWorkerPool();
afterAll(() => workers.close());

const list = <T>(length: number, make: (index: number) => T) =>
  Array.from({ length }, (_, i) => make(i));

async function call(tool: string, input: object): Promise<string> {
  const entry = {
    ...{ signal: AbortSignal.timeout(30_000), fairnessKey: 'owner' },
    requirePermitted: async () => {},
  };
  try {
    const output = await workers.compute({ tool, input, now: new Date() }, entry);
    return Object.keys(structuredReply(output as object)).join();
  } catch (error) {
    return (error as { code: string }).code;
  }
}

const query = (value: unknown, times: number) => ({
  ...{ json: JSON.stringify(value), query: `[${list(times, () => '@').join()}]` },
});
const rows = (run: number) => `a${run},b\n${'1,2\n'.repeat(45_000)}`;

test.each<[name: string, tool: string, input: (run: number) => object, outcome: string]>([
  [
    'an ordinary one',
    'json_query',
    () =>
      query(
        list(2_000, (id) => ({ id })),
        1,
      ),
    'text',
  ],
  ['many rows', 'csv_to_json', (run) => ({ csv: rows(run) }), 'text'],
  [
    'many numbers',
    'json_query',
    () =>
      query(
        list(90_000, () => 1),
        5,
      ),
    'text',
  ],
  [
    'many arrays',
    'json_query',
    () =>
      query(
        list(60_000, () => []),
        5,
      ),
    'text',
  ],
  [
    'the most different objects',
    'json_query',
    (run) =>
      query(
        list(4_900, (index) => ({ [`${run}k${index}`]: 1 })),
        4,
      ),
    'text',
  ],
  [
    'more different objects',
    'json_query',
    (run) =>
      query(
        list(15_000, (index) => ({ [`${run}k${index}`]: 1 })),
        4,
      ),
    'result_too_large',
  ],
])(
  'the result of a computation holds the event loop no longer than one turn: %s',
  async (...one) => {
    const [, tool, input, outcome] = one;
    const inputs = list(3, input);
    let run = 0;
    const outcomes: string[] = [];

    // Starts the process.
    await call('json_query', query(1, 1));
    const share = await heldShare(async () => outcomes.push(await call(tool, inputs[run++]!)));

    expect(new Set(outcomes)).toEqual(new Set([outcome]));
    expect(share).toBeLessThan(1);
  },
);
