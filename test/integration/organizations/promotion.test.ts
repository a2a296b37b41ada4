import { expect, test } from 'vitest';
import { askAs, outcomeOf } from '../../support/people/organizations.ts';
import { useTeams } from '../../support/worlds/use-teams.ts';
import { create, patch } from './content-items.ts';
import type { Item, Listed } from './content-items.ts';

const teams = await useTeams();

const PROMOTABLE = ['resources', 'prompts', 'custom-tools'] as const;

test.each(PROMOTABLE)(
  '%s: a promoted item moves into the catalog with its id, versions and history',
  async (family) => {
    const { id, owner, path } = await teams.organization();
    const { body } = await create(owner, path, family);
    await patch(owner, `${path}/${family}/${body.id}`, { description: 'Changed.' });

    const answer = await askAs<Item>(owner, {
      method: 'POST',
      path: `${path}/${family}/${body.id}/promote`,
    });

    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({
      ...{ id: body.id, version: 2, space: 'organization', organization_wide: false },
      description: 'Changed.',
    });
    expect((await askAs(owner, { path: `${path}/${family}/${body.id}` })).status).toBe(404);
    const item = `/api/organizations/${id}/${family}/${body.id}`;
    expect((await askAs(owner, { path: item })).body).toEqual(answer.body);
    const versions = await askAs<Listed>(owner, { path: `${item}/versions` });
    expect(versions.body.data.map(({ version }) => version)).toEqual([2, 1]);
    const restored = await askAs<Item>(owner, {
      method: 'POST',
      path: `${item}/versions/1/restore`,
    });
    expect([restored.status, restored.body.version]).toEqual([200, 3]);
  },
);

test('promoting an item whose name is taken in the catalog gets a 409, and nothing moves', async () => {
  const { id, owner, path } = await teams.organization();
  await create(owner, `/api/organizations/${id}`, 'prompts');
  const { body } = await create(owner, path, 'prompts');
  const item = `${path}/prompts/${body.id}`;

  const refused = await askAs(owner, { method: 'POST', path: `${item}/promote` });

  expect(outcomeOf(refused)).toEqual([409, 'name_taken']);
  expect((await askAs(owner, { path: item })).body).toEqual(body);
});

test('20 concurrent promotions of an item move it once', async () => {
  const { owner, path, id } = await teams.organization();
  const { body } = await create(owner, path, 'prompts');
  const item = `${path}/prompts/${body.id}/promote`;

  const answers = await Promise.all(
    Array.from({ length: 20 }, () => askAs(owner, { method: 'POST', path: item })),
  );

  const outcomes = answers.map(outcomeOf).map(([status]) => status);
  expect(outcomes.filter((status) => status === 200)).toHaveLength(1);
  expect(outcomes.filter((status) => status === 404)).toHaveLength(19);
  const catalog = await askAs<Listed>(owner, { path: `/api/organizations/${id}/prompts` });
  expect(catalog.body.data).toHaveLength(1);
});

test('promotion requires its own permission; agents cannot be promoted', async () => {
  const { id, owner, path, add } = await teams.organization();
  const role = await askAs<{ id: string }>(owner, {
    path: `/api/organizations/${id}/team-roles`,
    body: { name: 'Editor', permissions: ['can_update_team_prompts'] },
  });
  const editor = await teams.join(id);
  await add(owner, editor, [role.body.id]);
  const { body } = await create(owner, path, 'prompts');
  const { body: agent } = await create(owner, path, 'agents');

  const refused = await askAs(editor, {
    method: 'POST',
    path: `${path}/prompts/${body.id}/promote`,
  });
  expect(outcomeOf(refused)).toEqual([403, 'permission_denied']);
  const absent = { method: 'POST', path: `${path}/agents/${agent.id}/promote`, isUndeclared: true };
  expect((await askAs(owner, absent)).status).toBe(404);
});

test('a promoted tool keeps its secrets', async () => {
  const { id, owner, path } = await teams.organization();
  const http = {
    ...{ method: 'GET', url: 'https://example.com/' },
    headers: { authorization: 'Bearer {{secret.TOKEN}}' },
  };
  const { body } = await create(owner, path, 'custom-tools', { http, secrets: { TOKEN: 'x' } });
  expect(body).toMatchObject({ secrets: ['TOKEN'], missing_secrets: [] });

  const moved = await askAs<Item>(owner, {
    method: 'POST',
    path: `${path}/custom-tools/${body.id}/promote`,
  });

  expect(moved.body).toMatchObject({ secrets: ['TOKEN'], missing_secrets: [] });
  const rows = 'SELECT space_id FROM tool_secret WHERE item_id = $1';
  expect(await teams.world.query(rows, [body.id])).toEqual([{ space_id: id }]);
});
