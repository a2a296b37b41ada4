import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { createTeamVisibility } from '../../../src/organizations/teams/visibility.ts';
import { createDatabase } from '../../../src/platform/postgres/database.ts';
import { createDeployment } from '../../support/servers/deployment.ts';
import { createMeasuredPool } from '../../support/worlds/measured-pool.ts';
import { closeAfterTests } from '../../support/worlds/close-after-tests.ts';

const MEMBERS = 300;
const [organization_id, team_id] = [randomUUID(), randomUUID()];

const { databaseUrl } = await createDeployment();
const database = await closeAfterTests(createDatabase({ url: databaseUrl, onIdleError: () => {} }));
const query = (text: string, values: unknown[]) => database.authPool.query(text, values);
await query(`INSERT INTO organization (id, name) VALUES ($1, 'Acme')`, [organization_id]);
await query(
  `INSERT INTO team (id, organization_id, name, title, description)
   VALUES ($2, $1, 'red', '', '')`,
  [organization_id, team_id],
);
const added = await query(
  `WITH added AS (
     INSERT INTO account (id) SELECT gen_random_uuid() FROM generate_series(1, $2) RETURNING id
   ) INSERT INTO membership (id, organization_id, account_id)
   SELECT gen_random_uuid(), $1, id FROM added RETURNING account_id`,
  [organization_id, MEMBERS],
);
const person = added.rows[0]!.account_id;
await query(
  `INSERT INTO team_member (organization_id, team_id, membership_id)
   SELECT organization_id, $2, id FROM membership WHERE organization_id = $1`,
  [organization_id, team_id],
);
await query('ANALYZE', []);

test.each(['requireInside', 'isInside', 'idsInside'] as const)(
  '%s, which requests below a team ask, does not read the team’s members',
  async (operation) => {
    const { rows, connection: pool } = createMeasuredPool(database);
    const visibility = createTeamVisibility({
      database: { pool },
      authz: {},
      grants: { managesEveryTeam: async () => false },
    } as never);
    const caller = { person, credential: { kind: 'session', id: 's' } } as never;

    const answer =
      operation === 'idsInside'
        ? await visibility.idsInside(caller, organization_id)
        : await visibility[operation](caller, { organization_id, team_id });

    expect(answer).toBeTruthy();
    expect(Math.max(...rows)).toBeLessThanOrEqual(2);
  },
);
