import fc from 'fast-check';
import { expect, test } from 'vitest';
import { listed } from '../../oracle/reach.ts';
import { anyCommand, anyKey, anyWorld, pool } from '../../support/worlds/worlds.ts';
import { argumentsOf, oracleCatalog } from './agents-reach.ts';
import type { Gateway } from '../../support/worlds/world.ts';
import type { BuiltWorld, CreatedKey } from './built-world.ts';
import { compareKey, compareLists } from './comparison.ts';
import type { Compared } from './comparison.ts';
import { createReader } from './reader.ts';
import type { Reader } from './reader.ts';
import { builtIns, createStage } from './stage.ts';
import { checkProperty, scaledTimeout } from './trials.ts';
import { closeAfterTests } from '../../support/worlds/close-after-tests.ts';

const stage = await closeAfterTests(createStage(4));

const anyBuilt = anyWorld(builtIns);
const command = anyCommand(builtIns);

/** Returns what to compare for a key; everything that belongs to other accounts is foreign. */
function comparisonOf(
  { oracleWorld, tenants, idsOf }: BuiltWorld,
  { oracle: key }: CreatedKey,
  reader: Reader,
  gateway: Gateway,
): Compared {
  const foreign = tenants.flatMap(({ marker, account_id, email }, who) => {
    if (who === key.account) return [];
    return [marker, account_id, email, ...(oracleWorld.accounts[who] ? idsOf(who) : [])];
  });
  return { oracleWorld, key, reader, at: gateway, names: pool, foreign };
}

/** Creates one reader per key and protocol version, so that a 2025 session is reused. */
function createReaders() {
  const readers = new Map<string, Reader>();
  return (secret: string, era: '2025' | '2026') => {
    const reader = readers.get(`${secret} ${era}`) ?? createReader(secret, era);
    readers.set(`${secret} ${era}`, reader);
    return reader;
  };
}

test(
  'in any world a key reaches exactly what the oracle predicts, over both MCP versions (P1, P2)',
  async () => {
    await checkProperty(
      4,
      fc.asyncProperty(anyBuilt, async (plan) => {
        await stage.inWorld(plan, async (built) => {
          for (const era of ['2026', '2025'] as const)
            for (const createdKey of built.keys) {
              const reader = createReader(createdKey.secret, era);
              await compareKey(comparisonOf(built, createdKey, reader, stage.gateways[1]));
            }
        });
      }),
    );
  },
  scaledTimeout(60_000),
);

test(
  'after any changes, lists and responses match the oracle (P2)',
  async () => {
    const commands = fc.array(command, { minLength: 4, maxLength: 8 });
    const small = anyWorld(builtIns, { minLength: 2, maxLength: 3 });
    await checkProperty(
      3,
      fc.asyncProperty(small, commands, async (plan, rest) => {
        await stage.inWorld(plan, async (built) => {
          const readerOf = createReaders();
          for (const [index, one] of rest.entries()) {
            const account = await built.runScenario(one, stage.gateways[index % 2]!);
            const gateway = stage.gateways[(index + 1) % 2]!;
            for (const [number, createdKey] of built.keys.entries()) {
              const reader = readerOf(
                createdKey.secret,
                (index + number) % 2 === 0 ? '2026' : '2025',
              );
              const compared = comparisonOf(built, createdKey, reader, gateway);
              if (createdKey.oracle.account === account) await compareKey(compared);
              else await compareLists(compared);
            }
          }
        });
      }),
    );
  },
  scaledTimeout(60_000),
);

test(
  'a key without Tools reaches only the three system tools, regardless of policy and selection (C1, P12)',
  async () => {
    const keyWithoutTools = anyKey(builtIns).map((plan) => ({
      ...plan,
      capabilities: plan.capabilities.filter((capability) => capability !== 'tools'),
    }));
    await checkProperty(
      4,
      fc.asyncProperty(
        anyBuilt,
        fc.array(keyWithoutTools, { minLength: 2, maxLength: 3 }),
        async (plan, keys) => {
          await stage.inWorld({ ...plan, keys: [] }, async (built) => {
            for (const key of keys) {
              const { secret, oracle } = await built.create(stage.gateways[0], key);
              const reader = createReader(secret, '2026');
              const toolNames = [...oracleCatalog.builtIn.map(({ name }) => name), ...pool.tools];

              const list = await reader.list(stage.gateways[1], 'tools');
              const outcomes = await Promise.all(
                toolNames.map((name) => reader.call(stage.gateways[1], name, argumentsOf(name))),
              );

              expect(list).toEqual(['agent_context', 'bootstrap', 'setup']);
              expect(list).toEqual(listed(built.oracleWorld, oracle, 'tools'));
              expect(new Set(outcomes)).toEqual(new Set(['capability_denied']));
            }
          });
        },
      ),
    );
  },
  scaledTimeout(60_000),
);
