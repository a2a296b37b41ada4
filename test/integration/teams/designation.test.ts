import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { catalog } from '../../../src/catalog/catalog.ts';
import type { OrganizationMcpSettings } from '../../../src/content/selection/schema.ts';
import { goodPassword } from '../../support/people/people.ts';
import type { SignedUp } from '../../support/people/people.ts';
import { askAs, at, createRole, outcomeOf } from '../../support/people/organizations.ts';
import { useTeams } from '../../support/worlds/use-teams.ts';

const teams = await useTeams();

const [first, second] = catalog.tools().map(({ id }) => id) as [string, string];
const prompt = catalog.prompts()[0]!.id;
const emptySettings = {
  ...{ tools: [], organization_wide_tools: [] },
  ...{ platform_prompts: [], organization_wide_prompts: [] },
};
const pathOf = (id: string) => `/api/organizations/${id}/mcp-settings`;
const read = (who: SignedUp, id: string) =>
  askAs<OrganizationMcpSettings>(who, { path: pathOf(id) });
const put = (who: SignedUp, id: string, body: object) =>
  askAs<OrganizationMcpSettings>(who, { method: 'PUT', path: pathOf(id), body });

test('an organization’s selection is empty at first and can be replaced, on every gateway (S8)', async () => {
  const { id, owner } = await teams.organization();
  expect((await read(owner, id)).body).toEqual(emptySettings);
  const settings = {
    ...{ tools: [first, second], organization_wide_tools: [second] },
    ...{ platform_prompts: [prompt], organization_wide_prompts: [prompt] },
  };

  expect((await put(owner, id, settings)).body).toEqual(settings);

  expect((await read(at(owner, teams.otherGateway), id)).body).toEqual(settings);
  // The person's own selection is separate.
  const { body } = await askAs(owner, { path: '/api/me/mcp-settings' });
  expect(body).toEqual({ tools: [], platform_prompts: [] });
});

test.each<[string, object, number, string, string | undefined]>([
  ['a missing list', { organization_wide_prompts: undefined }, 400, 'invalid_body', undefined],
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

  const refused = await put(owner, id, { ...emptySettings, ...body });

  expect(outcomeOf(refused)).toEqual([status, code]);
  const [problem] = (refused.body as { errors?: { detail: unknown }[] }).errors ?? [];
  if (pointer !== undefined) expect(problem?.detail).toEqual({ pointer });
  expect((await read(owner, id)).body).toEqual(emptySettings);
});

test('reading and replacing the selection require separate permissions; the audit log records the values before and after', async () => {
  const { id, owner } = await teams.organization();
  const joinWithPermission = async (permission: string) =>
    teams.join(id, undefined, [
      (await createRole(owner, id, { name: permission, permissions: [permission] })).id,
    ]);
  const viewer = await joinWithPermission('can_view_organization_mcp_settings');
  const writer = await joinWithPermission('can_update_organization_mcp_settings');

  expect((await read(viewer, id)).status).toBe(200);
  expect(outcomeOf(await put(viewer, id, emptySettings))).toEqual([403, 'permission_denied']);
  expect((await put(writer, id, { ...emptySettings, tools: [first] })).status).toBe(200);

  const [row] = await teams.world.query<{ detail: unknown }>(
    `SELECT detail FROM audit_event WHERE action = 'mcp_settings.update' AND scope_id = $1`,
    [id],
  );
  expect(row?.detail).toEqual({
    before: emptySettings,
    after: { ...emptySettings, tools: [first] },
  });
});

test('deleting the organization deletes its selection', async () => {
  const { id, owner } = await teams.organization();
  await put(owner, id, { ...emptySettings, tools: [first] });

  const path = `/api/organizations/${id}`;
  await askAs(owner, {
    method: 'DELETE',
    path,
    body: { confirm: 'Acme', current_password: goodPassword },
  });

  const left = () => teams.world.query('SELECT id FROM space WHERE id = $1', [id]);
  await expect.poll(left, { timeout: 20_000 }).toEqual([]);
});

test('every member can list the catalog; who may view the selection sees what is selected', async () => {
  const { id, owner } = await teams.organization();
  await put(owner, id, {
    ...{ ...emptySettings, tools: [first, second] },
    organization_wide_tools: [first],
  });
  const member = await teams.join(id);
  const list = async (who: SignedUp, name: string) => {
    const path = `/api/organizations/${id}/catalog/${name}?limit=200`;
    type Entry = { id: string; selected?: boolean; organization_wide?: boolean };
    return (await askAs<{ data: Entry[] }>(who, { path })).body.data;
  };

  const shown = await list(member, 'tools');
  expect(shown.map((one) => one.id)).toEqual(expect.arrayContaining([first, second]));
  expect(shown.every((one) => one.selected === undefined)).toBe(true);
  const tools = await list(owner, 'tools');
  const flags = new Map(tools.map((one) => [one.id, [one.selected, one.organization_wide]]));
  expect([flags.get(first), flags.get(second)]).toEqual([
    [true, true],
    [true, false],
  ]);
  expect(tools.filter(({ selected }) => selected)).toHaveLength(2);
  const prompts = await list(owner, 'prompts');
  expect(prompts.length).toBeGreaterThan(0);
  expect(prompts.every(({ selected }) => !selected)).toBe(true);
});
