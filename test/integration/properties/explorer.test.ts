import fc from 'fast-check';
import { afterAll, beforeAll, test } from 'vitest';
import { connect, disconnect } from '../../../src/connections.ts';
import type { Connections } from '../../../src/connections.ts';
import { everyTeam, names } from '../../support/access/permissions.ts';
import { createConnectionsSupport } from '../../support/people/connections.ts';
import type { ConnectionsSupport } from '../../support/people/connections.ts';
import { createJoins } from '../../support/people/organizations.ts';
import type { Joins } from '../../support/people/organizations.ts';
import {
  compareAccess,
  compareHolders,
  compareUsers,
  createGrantedKeys,
} from './access-answers.ts';
import { buildOrganization } from './built-organization.ts';
import { readAuthority } from './effective-authority.ts';
import { compareDecisions } from './decision-answers.ts';
import { runCommand } from './organization-commands.ts';
import { oracleWorld, PEOPLE } from './organization-comparison.ts';
import { anyOrganization } from './organization-plans.ts';
import { builtIns, createStage } from './stage.ts';
import type { Stage } from './stage.ts';
import { checkProperty, scaledTimeout } from './trials.ts';

let stage: Stage;
let joins: Joins;
let oauth: ConnectionsSupport;
let connections: Connections;
beforeAll(async () => {
  stage = await createStage(PEOPLE);
  joins = await createJoins(stage.gateways[0]);
  oauth = await createConnectionsSupport(stage.world, stage.gateways[0]);
  connections = await connect(stage.gateways[0].config);
});
afterAll(async () => {
  await disconnect(connections);
  await joins.close();
  await oauth.close();
  await stage.close();
});

test(
  'in any organization, the explorer names exactly the holders of every permission and the users of every item, and what each credential reaches, as two independent engines decide for every subject, also after any changes; and what a caller meets is what is explained, with one decision for each denial',
  async () => {
    const plan = fc.record({
      organization: anyOrganization(builtIns),
      permissions: fc.subarray(names.organization.filter((name) => name !== everyTeam)),
    });
    await checkProperty(
      2,
      fc.asyncProperty(plan, async ({ organization, permissions }) => {
        const [owner, ...members] = stage.tenants;
        const people = { owner: owner!, members };
        const support = { joins, oauth, oracleWorld, upstream: stage.upstream };
        const built = await buildOrganization(people, organization, support);
        try {
          const granted = await createGrantedKeys(built, permissions);
          for (const command of organization.commands) await runCommand(built, command);
          const authority = await readAuthority(connections.engine);
          const answers = { built, authority, oracleWorld, granted };
          await compareHolders(answers);
          await compareUsers(answers);
          await compareAccess(answers);
          await compareDecisions(built, granted, stage.gateways[0]);
        } finally {
          await built.end();
        }
      }),
      200_000,
    );
  },
  scaledTimeout(240_000),
);
