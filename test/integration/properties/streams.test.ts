import fc from 'fast-check';
import { afterAll, beforeAll, test } from 'vitest';
import { pool } from '../../support/worlds/worlds.ts';
import { openSession } from '../mcp/legacy/client.ts';
import type { BuiltWorld } from './built-world.ts';
import { createStream, LISTS } from './session-stream.ts';
import type { List } from './session-stream.ts';
import { builtIns, createStage, twins } from './stage.ts';
import type { Stage } from './stage.ts';
import { checkProperty, scaledTimeout } from './trials.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await createStage(2);
});
afterAll(() => stage.close());

/**
 * One event: a list of the account or of another account changes, or the stream is lost and
 * resumed.
 */
const step = fc.oneof(
  fc.record({ does: fc.constant('change' as const), family: fc.constantFrom(...LISTS) }),
  fc.record({
    does: fc.constant('change elsewhere' as const),
    family: fc.constantFrom(...LISTS),
  }),
  fc.record({ does: fc.constant('resume' as const), missed: fc.subarray([...LISTS]) }),
);

/** Returns a function that alternately removes and restores an entry of an account's list. */
function createListChanger(built: BuiltWorld) {
  const turns = new Map<string, number>();
  const [gateway] = stage.gateways;
  return async (who: number, family: List) => {
    const index = (turns.get(`${who} ${family}`) ?? 0) + 1;
    turns.set(`${who} ${family}`, index);
    const isRemoved = index % 2 === 1;
    if (family === 'tools') {
      const tools = isRemoved ? builtIns.tools.slice(1) : [...builtIns.tools];
      await built.runScenario({ does: 'select', who, selected: { ...builtIns, tools } }, gateway);
      return;
    }
    const name = pool[family][0]!;
    const item = { family, name, conditions: [] };
    if (isRemoved) await built.runScenario({ does: 'remove', who, family, name }, gateway);
    else await built.runScenario({ does: 'add', who, item }, gateway);
  };
}

test(
  'a stream announces each change of its own account once, even across reconnects (P20)',
  async () => {
    const steps = fc.array(step, { minLength: 3, maxLength: 6 });
    await stage.inWorld(twins(2), async (built) => {
      const change = createListChanger(built);
      await checkProperty(
        3,
        fc.asyncProperty(steps, async (plannedSteps) => {
          const [gateway] = stage.gateways;
          const everything = ['tools', 'prompts', 'resources', 'agents'];
          const key = { who: 0, capabilities: everything, policies: {}, permissions: null };
          const { secret } = await built.create(gateway, { ...key, defaultAgent: null });
          const session = await openSession(`${gateway.url}/mcp`, secret);
          const stream = createStream(stage.gateways, secret, session);
          await stream.open(0);
          for (const [index, one] of plannedSteps.entries())
            if (one.does === 'change elsewhere') await change(1, one.family);
            else if (one.does === 'change') {
              await change(0, one.family);
              await stream.expectAnnounced([one.family]);
            } else {
              await stream.close();
              for (const family of one.missed) await change(0, family);
              await stream.open(index);
              await stream.expectAnnounced(one.missed);
            }
          // A notification without a change in this account would arrive before these.
          for (const family of LISTS) {
            await change(0, family);
            await stream.expectAnnounced([family]);
          }
          await stream.close();
        }),
      );
    });
  },
  scaledTimeout(60_000),
);
