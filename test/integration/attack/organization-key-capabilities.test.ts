import { afterAll, beforeAll, expect, test } from 'vitest';
import { ADMIN, outcomeOf } from '../../support/people/organizations.ts';
import type { SignedUp } from '../../support/people/people.ts';
import { createTeamsWorld } from '../../support/people/teams.ts';
import type { TeamsWorld } from '../../support/people/teams.ts';
import { scopedKeys } from '../keys/scoped-keys.ts';
import type { Key } from '../keys/scoped-keys.ts';

let teams: TeamsWorld;
beforeAll(async () => {
  teams = await createTeamsWorld();
});
afterAll(() => teams?.close());

const { create, rest } = scopedKeys(() => teams.there);

// organizations.md: a credential acts “with what it carries *and* its person holds”, and the
// `membership` of an organization says “of a credential: what it may do here”.
test('a key can give the capabilities that it has in the organization, and no others', async () => {
  const { id, owner, path } = await teams.organization();
  const organization = path.replace(/\/teams\/.*/, '');
  const admin = await teams.join(id, 'admin', [ADMIN]);
  const permissions = ['can_create_organization_roles', 'can_view_organization'];
  const draft = {
    grants: [{ scope: { type: 'org', org_id: id }, permissions }],
    mcp_capabilities: ['tools'],
  };
  const own = await create(admin, { ...draft, org_scope: id });
  const organizations = await create(owner, { ...draft, team_ids: [] }, `${organization}/keys`);

  const outcomes: unknown[] = [];
  const keys: [SignedUp, Key][] = [
    [admin, own.body],
    [owner, organizations.body],
  ];
  for (const [who, key] of keys) {
    const shown = await rest(who, key, { path: organization });
    expect(shown.body['membership']).toMatchObject({ capabilities: ['tools'] });
    for (const capability of ['tools', 'agents']) {
      const body = { name: `${capability} ${key.id}`, permissions: [], capabilities: [capability] };
      outcomes.push(outcomeOf(await rest(who, key, { path: `${organization}/roles`, body })));
    }
  }
  expect(outcomes).toEqual([
    [201],
    [422, 'capability_escalation'],
    [201],
    [422, 'capability_escalation'],
  ]);
});
