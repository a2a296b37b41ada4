import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Preview } from '../../../src/keys/schema.ts';
import { reached } from '../../oracle/reach.ts';
import { anyWorld, ITEM_FAMILIES } from '../../support/worlds/worlds.ts';
import type { ItemFamily } from '../../support/worlds/worlds.ts';
import { createReader } from './reader.ts';
import { builtIns, createStage } from './stage.ts';
import type { Stage } from './stage.ts';
import { checkProperty, scaledTimeout } from './trials.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await createStage(4);
});
afterAll(() => stage.close());

const namesOf = (items: readonly { name: string }[]) => items.map(({ name }) => name).toSorted();
const idsOf = (items: readonly { id: string }[]) => items.map(({ id }) => id).toSorted();
const FAMILY_OF = { tool: 'tools', prompt: 'prompts', resource: 'resources', agent: 'agents' };

test(
  'a preview equals the lists of a key with the same body, and explains why everything else is hidden',
  async () => {
    const [gateway, other] = stage.gateways;
    await checkProperty(
      4,
      fc.asyncProperty(anyWorld(builtIns), async (plan) => {
        await stage.inWorld(plan, async (built) => {
          for (const { id, secret, oracle } of built.keys) {
            const who = oracle.account;
            const path = `/api/keys/${id}`;
            const storedKey = await built.requireStatus<{ name: string }>(gateway, who, 200, {
              path,
            });
            const body = { ...storedKey, name: `not ${storedKey.name}` };
            const request = { path: '/api/keys/preview', body };
            const { visible, hidden, counts, errors } = await built.requireStatus<Preview>(
              gateway,
              who,
              200,
              request,
            );
            const reader = createReader(secret, '2026');
            const listed = async (family: 'tools' | 'prompts' | 'resources') =>
              (await reader.list(other, family))!;
            const knownItems = (family: ItemFamily) => [
              ...built.oracleWorld.accounts[who]![family],
              ...(family === 'tools' ? built.oracleWorld.builtIn : []),
              ...(family === 'prompts' ? built.oracleWorld.platformPrompts : []),
            ];

            expect(errors).toEqual([]);
            expect(namesOf(visible.tools)).toEqual(await listed('tools'));
            expect(namesOf(visible.prompts)).toEqual(await listed('prompts'));
            expect(namesOf(visible.resources)).toEqual(await listed('resources'));
            expect(namesOf(visible.agents)).toEqual(
              namesOf(reached(built.oracleWorld, oracle, 'agents')),
            );
            for (const family of ITEM_FAMILIES) {
              // Tenants have equal names, but different ids.
              const items = reached(built.oracleWorld, oracle, family);
              const governed = visible[family].filter((one) => !('system' in one));
              expect(idsOf(governed)).toEqual(idsOf(items));
              const hiddenItems = hidden.filter((one) => FAMILY_OF[one.family] === family);
              const current = knownItems(family).filter(
                (one) => !('deprecated' in one && one.deprecated),
              );
              expect(namesOf([...governed, ...hiddenItems])).toEqual(namesOf(current));
              expect(counts.visible[family]).toBe(visible[family].length);
            }
            expect(hidden.filter(({ because }) => because.length === 0)).toEqual([]);
          }
        });
      }),
    );
  },
  scaledTimeout(60_000),
);
