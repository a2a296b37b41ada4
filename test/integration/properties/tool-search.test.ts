import fc from 'fast-check';
import { test } from 'vitest';
import { createConnectionsSupport } from '../../support/people/connections.ts';
import { createJoins } from '../../support/people/organizations.ts';
import { closeAfterTests } from '../../support/worlds/close-after-tests.ts';
import { anyWorld, pool } from '../../support/worlds/worlds.ts';
import { buildOrganization } from './built-organization.ts';
import { runCommand } from './organization-commands.ts';
import { compareKeys, oracleWorld, PEOPLE } from './organization-comparison.ts';
import { anyOrganization } from './organization-plans.ts';
import { createReader } from './reader.ts';
import { compareSearch } from './search-comparison.ts';
import { builtIns, createStage } from './stage.ts';
import { checkProperty, scaledTimeout } from './trials.ts';

const stage = await closeAfterTests(createStage(PEOPLE + 1));
const [gateway, otherGateway] = stage.gateways;
const joins = await closeAfterTests(createJoins(gateway));
const oauth = await closeAfterTests(createConnectionsSupport(stage.world, gateway));
const [owner, ...members] = stage.tenants;
// A free account may own only one organization.
await stage.world.query("UPDATE account SET plan = 'pro' WHERE id = $1", [owner!.account_id]);

/** Makes every credential search for its tools. */
async function searchWithAll(): Promise<void> {
  await stage.world.query("UPDATE api_key SET tool_listing = 'search'");
  await stage.world.query("UPDATE oauth_connection SET tool_listing = 'search'");
}

test(
  'in any world, what a key finds is what it would list, and what it can run (P1, P2)',
  async () => {
    await checkProperty(
      3,
      fc.asyncProperty(anyWorld(builtIns), async (plan) => {
        await stage.inWorld(plan, async ({ oracleWorld: world, keys, tenants, idsOf }) => {
          await searchWithAll();
          for (const { secret, oracle } of keys)
            for (const era of ['2026', '2025'] as const) {
              const foreign = tenants.flatMap(({ marker, account_id }, who) =>
                who === oracle.account
                  ? []
                  : [marker, account_id, ...(world.accounts[who] ? idsOf(who) : [])],
              );
              const reader = createReader(secret, era);
              await compareSearch({
                ...{ oracleWorld: world, key: oracle, reader, at: otherGateway },
                ...{ names: pool, foreign },
              });
            }
        });
      }),
    );
  },
  scaledTimeout(90_000),
);

test(
  'in any organization, what keys and OAuth connections find is what they would list, and what they can run, also after any changes (P1, P2)',
  async () => {
    await checkProperty(
      2,
      fc.asyncProperty(anyOrganization(builtIns), async (plan) => {
        const organization = await buildOrganization(
          { owner: owner!, members: members.slice(0, PEOPLE - 1) },
          plan,
          { joins, oauth, oracleWorld, upstream: stage.upstream },
        );
        try {
          await searchWithAll();
          await compareKeys([organization], otherGateway, undefined, compareSearch);
          for (const command of plan.commands) await runCommand(organization, command);
          await searchWithAll();
          await compareKeys([organization], otherGateway, undefined, compareSearch);
        } finally {
          await organization.end();
        }
      }),
    );
  },
  scaledTimeout(150_000),
);
