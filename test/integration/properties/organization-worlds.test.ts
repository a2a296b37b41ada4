import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createConnectionsSupport } from '../../support/people/connections.ts';
import type { ConnectionsSupport } from '../../support/people/connections.ts';
import { createJoins, driftOf } from '../../support/people/organizations.ts';
import type { Joins } from '../../support/people/organizations.ts';
import { buildOrganization } from './built-organization.ts';
import type { BuiltOrganization } from './built-organization.ts';
import { runCommand } from './organization-commands.ts';
import { compareKeys, oracleWorld, PEOPLE } from './organization-comparison.ts';
import { anyOrganization } from './organization-plans.ts';
import { builtIns, createStage } from './stage.ts';
import type { Stage } from './stage.ts';
import { checkProperty, scaledTimeout } from './trials.ts';

let stage: Stage;
let joins: Joins;
let oauth: ConnectionsSupport;
beforeAll(async () => {
  stage = await createStage(PEOPLE);
  joins = await createJoins(stage.gateways[0]);
  oauth = await createConnectionsSupport(stage.world, stage.gateways[0]);
  // A free account may own only one organization.
  const [owner] = stage.tenants;
  await stage.world.query("UPDATE account SET plan = 'pro' WHERE id = $1", [owner!.account_id]);
});
afterAll(async () => {
  await joins.close();
  await oauth.close();
  await stage.close();
});

// Without the cache, a trial asks OpenFGA thousands of times.
const TRIALS = process.env['AUTHZ_CACHE'] === 'off' ? 1 : 4;

test(
  'in any two organizations with equal names, keys and OAuth connections of members and of the organization reach exactly what the oracle predicts, also after any changes, over both MCP versions (P1, P2, P12, K2, P9)',
  async () => {
    const plan = fc.tuple(anyOrganization(builtIns), anyOrganization(builtIns));
    await checkProperty(
      TRIALS,
      fc.asyncProperty(plan, async (plans) => {
        const [owner, ...members] = stage.tenants;
        const organizations: BuiltOrganization[] = [];
        const [gateway, otherGateway] = stage.gateways;
        try {
          for (const one of plans)
            organizations.push(
              await buildOrganization({ owner: owner!, members }, one, {
                ...{ joins, oauth, oracleWorld, upstream: stage.upstream },
              }),
            );
          await compareKeys(organizations, otherGateway);
          for (const [index, one] of plans.entries())
            for (const [commandIndex, command] of one.commands.entries()) {
              await runCommand(organizations[index]!, command);
              await compareKeys(
                organizations,
                otherGateway,
                (number) => number === 2 * index + commandIndex,
              );
            }
          expect(await driftOf(gateway)).toEqual([]);
        } finally {
          for (const one of organizations) await one.end();
        }
      }),
      200_000,
    );
  },
  scaledTimeout(240_000),
);
