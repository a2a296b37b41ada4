import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { catalog } from '../../../src/catalog/catalog.ts';
import type { OrganizationMcpSettings } from '../../../src/content/selection/schema.ts';
import type { SignedUp } from '../../support/people/people.ts';
import { askAs, at, createRole, outcomeOf } from '../../support/people/organizations.ts';
import { createTeamsWorld } from '../../support/people/teams.ts';
import type { TeamsWorld } from '../../support/people/teams.ts';

let teams: TeamsWorld;
beforeAll(async () => {
  teams = await createTeamsWorld();
});
afterAll(() => teams?.close());

const [first, second] = catalog.tools().map(({ id }) => id) as [string, string];
const prompt = catalog.prompts()[0]!.id;
const none = {
  ...{ tools: [], organization_wide_tools: [] },
  ...{ platform_prompts: [], organization_wide_prompts: [] },
};
const pathOf = (id: string) => `/api/organizations/${id}/mcp-settings`;
const read = (who: SignedUp, id: string) =>
  askAs<OrganizationMcpSettings>(who, { path: pathOf(id) });
const put = (who: SignedUp, id: string, body: object) =>
  askAs<OrganizationMcpSettings>(who, { method: 'PUT', path: pathOf(id), body });

test('an organization selects nothing at first, then what it sends, on every gateway (S8)', async () => {
  const { id, owner } = await teams.organization();
  expect((await read(owner, id)).body).toEqual(none);
  const settings = {
    ...{ tools: [first, second], organization_wide_tools: [second] },
    ...{ platform_prompts: [prompt], organization_wide_prompts: [prompt] },
  };

  expect((await put(owner, id, settings)).body).toEqual(settings);

  expect((await read(at(owner, teams.there), id)).body).toEqual(settings);
  // The person's own selection is another one.
  const { body } = await askAs(owner, { path: '/api/me/mcp-settings' });
  expect(body).toEqual({ tools: [], platform_prompts: [] });
  // Omitted lists are empty: the tool is selected, and for nobody without a team's policy.
  expect((await put(owner, id, { tools: [second] })).body).toEqual({ ...none, tools: [second] });
});

test.each<[string, object, number, string, string | undefined]>([
  ['no tools', {}, 400, 'invalid_body', undefined],
  ['an unknown tool', { tools: [randomUUID()] }, 422, 'unknown_item', '/tools/0'],
  ['a tool twice', { tools: [first, first] }, 422, 'duplicate_item', '/tools/1'],
  [
    'a designated tool that is not selected',
    { tools: [first], organization_wide_tools: [first, second] },
    ...([422, 'not_selected', '/organization_wide_tools/1'] as const),
  ],
  [
    'a designated prompt that is not selected',
    { tools: [first], organization_wide_prompts: [prompt] },
    ...([422, 'not_selected', '/organization_wide_prompts/0'] as const),
  ],
])('%s is refused and changes nothing', async (_what, body, status, code, pointer) => {
  const { id, owner } = await teams.organization();

  const refused = await put(owner, id, body);

  expect(outcomeOf(refused)).toEqual([status, code]);
  const [problem] = (refused.body as { errors?: { detail: unknown }[] }).errors ?? [];
  if (pointer !== undefined) expect(problem?.detail).toEqual({ pointer });
  expect((await read(owner, id)).body).toEqual(none);
});

test('seeing the selection is one permission, replacing it another; the audit has both states', async () => {
  const { id, owner } = await teams.organization();
  const holding = async (permission: string) =>
    teams.join(id, undefined, [
      (await createRole(owner, id, { name: permission, permissions: [permission] })).id,
    ]);
  const viewer = await holding('can_view_organization_mcp_settings');
  const writer = await holding('can_update_organization_mcp_settings');

  expect((await read(viewer, id)).status).toBe(200);
  expect(outcomeOf(await put(viewer, id, { tools: [] }))).toEqual([403, 'permission_denied']);
  expect((await put(writer, id, { tools: [first] })).status).toBe(200);

  const [row] = await teams.world.query<{ detail: unknown }>(
    `SELECT detail FROM audit_event WHERE action = 'mcp_settings.update' AND scope_id = $1`,
    [id],
  );
  expect(row?.detail).toEqual({ before: none, after: { ...none, tools: [first] } });
});

test('the selection ends with the organization', async () => {
  const { id, owner } = await teams.organization();
  await put(owner, id, { tools: [first] });

  const path = `/api/organizations/${id}`;
  await askAs(owner, { method: 'DELETE', path, body: { confirm: 'Acme' } });

  const left = () => teams.world.query('SELECT id FROM space WHERE id = $1', [id]);
  await expect.poll(left, { timeout: 20_000 }).toEqual([]);
});
