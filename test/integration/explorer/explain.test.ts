import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import type { AccessDiff, AccessExplanation } from '../../../src/explorer/schema.ts';
import { askAs } from '../../support/people/organizations.ts';
import type { SignedUp } from '../../support/people/people.ts';
import { useTeams } from '../../support/worlds/use-teams.ts';
import { toolId } from '../mcp/key-holder.ts';
import { createAcme, createKey } from './acme.ts';

const teams = await useTeams();

async function explain(who: SignedUp, base: string, body: object): Promise<AccessExplanation> {
  const answer = await askAs<AccessExplanation>(who, { path: `${base}/access/explain`, body });
  expect([answer.status, answer.body]).toEqual([200, expect.anything()]);
  return answer.body;
}

const failed = ({ steps }: AccessExplanation) =>
  steps.filter(({ outcome }) => outcome === 'failed').map(({ rule, reason }) => [rule, reason]);
const firstCode = ({ steps }: AccessExplanation) =>
  steps.find(({ outcome }) => outcome === 'failed')?.code;

test('a permission is explained by the checks that decide it, each of which can be repeated', async () => {
  const { ada, base, id, mia } = await createAcme(teams);
  const subject = { kind: 'member', id: mia.account_id };

  const explained = await explain(ada, base, {
    ...{ subject, permission: 'can_view_organization_roles' },
  });

  expect(explained.allowed).toBe(true);
  const decisive = explained.steps.find(({ rule }) => rule === 'can_roles_read');
  expect(decisive?.check).toEqual({
    ...{ user: `user:${mia.account_id}`, relation: 'can_roles_read' },
    object: `membership:${id}.${mia.account_id}`,
  });
});

test('the first failed step has the code that the caller meets', async () => {
  const { ada, base, mia } = await createAcme(teams);
  const subject = { kind: 'member', id: mia.account_id };

  const explained = await explain(ada, base, {
    ...{ subject, permission: 'can_view_organization_members' },
  });
  const met = await askAs<{ errors: { code: string }[] }>(mia, { path: `${base}/members` });

  expect(explained.allowed).toBe(false);
  expect(failed(explained)).toEqual([['can_members_read', 'permission_missing']]);
  expect(firstCode(explained)).toBe(met.body.errors[0]!.code);
});

test('the use of an item is explained with every reason against it', async () => {
  const { ada, base, key } = await createAcme(teams);
  const item = (name: string) => ({ family: 'tools', id: toolId(name) });
  const subject = { kind: 'key', id: key.id };

  const allowed = await explain(ada, base, { subject, item: item('calculator') });
  const hidden = await explain(ada, base, { subject, item: item('hash') });
  const unknown = await explain(ada, base, {
    ...{ subject, item: { family: 'tools', id: randomUUID() } },
  });

  expect([allowed.allowed, failed(allowed)]).toEqual([true, []]);
  expect([hidden.allowed, failed(hidden)]).toEqual([false, [['exposed', 'not_exposed']]]);
  expect(failed(unknown)).toEqual([['exists', 'not_found']]);
});

test('a permission in a team needs its team, and one in the organization none', async () => {
  const { ada, base, mia, team_id } = await createAcme(teams);
  const subject = { kind: 'member', id: mia.account_id };
  const ask = (body: object) =>
    askAs(ada, { path: `${base}/access/explain`, body: { subject, ...body } });

  const explained = await explain(ada, base, {
    ...{ subject, permission: 'can_create_team_tools', team_id },
  });

  expect(explained.allowed).toBe(true);
  const statuses = [
    await ask({ permission: 'can_create_team_tools' }),
    await ask({ permission: 'can_view_organization_roles', team_id }),
    await ask({ permission: 'can_fly' }),
    await ask({}),
  ].map(({ status }) => status);
  expect(statuses).toEqual([422, 422, 422, 400]);
});

test('a comparison of two subjects has what only one has, and counts what both have', async () => {
  const { ada, owner, base, id, mia, key } = await createAcme(teams);
  const other = await createKey(mia, '/api/keys', {
    ...{ org_scope: id, mcp_capabilities: ['tools'] },
  });
  const body = {
    left: { subject: { kind: 'key', id: key.id } },
    right: { subject: { kind: 'key', id: other.id } },
  };

  const { body: diff } = await askAs<AccessDiff>(ada, { path: `${base}/access/diff`, body });
  const mixed = await askAs(owner, {
    path: `${base}/access/diff`,
    body: { ...body, right: { review_id: key.id } },
  });

  expect(diff.only_left.map(({ capability }) => capability)).toEqual([
    'resources',
    'prompts',
    'agents',
  ]);
  expect(diff.only_right).toEqual([]);
  // The tool, three system tools and a capability.
  expect(diff.both).toBe(5);
  expect(mixed.status).toBe(400);
});
