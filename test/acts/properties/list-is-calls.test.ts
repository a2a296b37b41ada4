import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { listedTools, outcomeOfCall, systemTools } from '../../oracle/reach.ts';
import type { OracleKey, OraclePolicy, OracleWorld } from '../../oracle/reach.ts';
import { createWorld } from '../../support/world.ts';
import type { Gateway, World } from '../../support/world.ts';
import {
  anyCapabilities,
  anyPolicy,
  anyTools,
  callAt,
  createActor,
  listAt,
  oracleCatalogue,
  smallCatalog,
  manyGateways,
} from './agents-reach.ts';
import type { Actor } from './agents-reach.ts';
import { holds, timeFor } from './trials.ts';

let world: World;
let gateways: [Gateway, Gateway];
let actors: Actor[];
beforeAll(async () => {
  world = await createWorld(manyGateways);
  const start = () => world.gateway({ overrides: { catalog: smallCatalog } });
  gateways = [await start(), await start()];
  actors = await Promise.all([1, 2, 3].map(() => createActor(world, gateways[0])));
});
afterAll(() => world.close());

type Command =
  | { does: 'select'; who: number; tools: string[] }
  | { does: 'create'; who: number; capabilities: string[]; policy: OraclePolicy }
  | { does: 'set capabilities'; key: number; capabilities: string[] }
  | { does: 'set policy'; key: number; policy: OraclePolicy }
  | { does: 'revoke'; key: number };

const who = fc.nat({ max: 2 });
const key = fc.nat({ max: 20 });
const created = fc.record({
  does: fc.constant('create' as const),
  who,
  capabilities: fc.oneof(fc.constant<string[]>(['tools']), anyCapabilities),
  policy: anyPolicy,
});
const command: fc.Arbitrary<Command> = fc.oneof(
  created,
  fc.record({ does: fc.constant('select' as const), who, tools: anyTools }),
  fc.record({
    does: fc.constant('set capabilities' as const),
    key,
    capabilities: anyCapabilities,
  }),
  fc.record({ does: fc.constant('set policy' as const), key, policy: anyPolicy }),
  fc.record({ does: fc.constant('revoke' as const), key }),
);

interface Held {
  id: string;
  secret: string;
  oracle: OracleKey;
}

/** One trial: the commands done to the service and told to the oracle, side by side. */
function createTrial() {
  const accounts = actors.map(() => ({ active: true, selected: new Set<string>() }));
  const told: OracleWorld = { catalogue: oracleCatalogue, accounts };
  const keys: Held[] = [];

  /** Answers whose account the command was about. */
  async function obey(one: Command, at: Gateway): Promise<number> {
    if (one.does === 'select') {
      await actors[one.who]!.select(at, one.tools);
      accounts[one.who]!.selected = new Set(one.tools);
      return one.who;
    }
    if (one.does === 'create') {
      const { capabilities, policy } = one;
      const fields = { mcp_capabilities: capabilities, tool_policy: policy };
      const made = await actors[one.who]!.createKey(at, fields);
      keys.push({ ...made, oracle: { account: one.who, revoked: false, capabilities, policy } });
      return one.who;
    }
    const held = keys[one.key % keys.length]!;
    const { account, revoked } = held.oracle;
    if (revoked) return account;
    const owner = actors[account]!;
    if (one.does === 'revoke') {
      await owner.revoke(at, held.id);
      held.oracle.revoked = true;
    } else if (one.does === 'set policy') {
      await owner.edit(at, held.id, { tool_policy: one.policy });
      held.oracle.policy = one.policy;
    } else {
      await owner.edit(at, held.id, { mcp_capabilities: one.capabilities });
      held.oracle.capabilities = one.capabilities;
    }
    return account;
  }

  return {
    told,
    keys,
    obey,
    async end() {
      for (const { id, oracle } of keys)
        if (!oracle.revoked) await actors[oracle.account]!.revoke(gateways[0], id);
      for (const actor of actors) await actor.select(gateways[0], []);
    },
  };
}

const governed = [...oracleCatalogue.map(({ name }) => name), 'no_such_tool', '__proto__'];
const asked = [...systemTools, ...governed];

/** The list and every call of one key, at one gateway: against each other, then the oracle. */
async function compareKey(told: OracleWorld, { secret, oracle }: Held, at: Gateway) {
  const list = await listAt(at, secret);
  const outcomes = await Promise.all(asked.map((name) => callAt(at, secret, name)));
  const callable = governed.filter((name) => outcomes[asked.indexOf(name)] === 'runs');
  const shown = list?.filter((name) => !systemTools.includes(name)) ?? [];
  expect(shown, 'the list is what can be called').toEqual(callable.toSorted());
  expect(list, 'the list is the oracle’s').toEqual(listedTools(told, oracle));
  expect(outcomes, 'each call ends as the oracle says').toEqual(
    asked.map((name) => outcomeOfCall(told, oracle, name)),
  );
}

/** Keys of the account a command was about; of the others, that nothing changed for them. */
async function compare(trial: ReturnType<typeof createTrial>, account: number, at: Gateway) {
  await Promise.all(
    trial.keys.map(async (held) => {
      if (held.oracle.account === account) return compareKey(trial.told, held, at);
      const list = await listAt(at, held.secret);
      return expect(list, 'another account changes nothing').toEqual(
        listedTools(trial.told, held.oracle),
      );
    }),
  );
}

test(
  'whatever is selected, granted, narrowed and revoked, the list is what can be called (P2)',
  async () => {
    const commands = fc.array(command, { minLength: 4, maxLength: 10 });
    await holds(
      6,
      fc.asyncProperty(fc.tuple(created, created), commands, async (first, rest) => {
        const trial = createTrial();
        try {
          for (const [turn, one] of [...first, ...rest].entries()) {
            const account = await trial.obey(one, gateways[turn % 2]!);
            await compare(trial, account, gateways[(turn + 1) % 2]!);
          }
        } finally {
          await trial.end();
        }
      }),
    );
  },
  timeFor(60_000),
);

test(
  'a key without Tools reaches the three system tools, whatever policy and selection (C1, P12)',
  async () => {
    const others = fc.subarray(['resources', 'prompts', 'agents']);
    await holds(
      15,
      fc.asyncProperty(others, anyPolicy, anyTools, async (mcp_capabilities, policy, chosen) => {
        const [actor] = actors;
        const [here, there] = gateways;
        await actor!.select(here, chosen);
        const made = await actor!.createKey(here, { mcp_capabilities, tool_policy: policy });

        expect(await listAt(there, made.secret)).toEqual(systemTools.toSorted());
        for (const name of governed)
          expect(await callAt(there, made.secret, name)).toBe('capability_denied');
        for (const name of ['setup', 'bootstrap'])
          expect(await callAt(there, made.secret, name)).toBe('runs');
        await actor!.revoke(here, made.id);
      }),
    );
  },
  timeFor(60_000),
);
