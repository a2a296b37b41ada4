import { randomUUID } from 'node:crypto';
import { test } from 'vitest';
import { createAnnouncedWorld, LISTS, must, promptId, toolId } from './announced-world.ts';
import type { List, StreamName } from './announced-world.ts';
import { draftOf } from './content-items.ts';
import { closeAfterTests } from '../../support/worlds/close-after-tests.ts';

const acme = await closeAfterTests(createAnnouncedWorld());

type Affected = Partial<Record<StreamName, readonly List[]>>;

/** A change, what restores the state before, and the lists that either changes for each key. */
interface AnnouncedChange {
  change(): Promise<unknown>;
  restore(): Promise<unknown>;
  affected: Affected;
}

const byOwner = (method: string, path: string, body?: object) =>
  must<{ id: string }>(acme.owner, { method, path, ...(body === undefined ? {} : { body }) });
const onTeam = (...lists: List[]): Affected => ({ mia: lists, tom: lists, service: lists });
const onAll = (...lists: List[]): Affected => ({ ...onTeam(...lists), ben: lists });

/** Creates and deletes an item at a path. */
function item(place: () => string, noun: 'prompts' | 'resources' | 'custom-tools', fields = {}) {
  const path = () => `${place()}/${noun}`;
  let id = '';
  return {
    async change() {
      const draft = { ...draftOf(noun, `a${randomUUID().slice(0, 8)}`), ...fields };
      ({ id } = await byOwner('POST', path(), draft));
    },
    restore: () => byOwner('DELETE', `${path()}/${id}`),
  };
}

/** Edits what lists show of the team's item. */
async function editGuide(noun: 'prompts' | 'resources' | 'custom-tools', field: string) {
  const path = `${acme.red.path}/${noun}`;
  const { data } = await must<{ data: { id: string }[] }>(acme.owner, { path });
  await byOwner('PATCH', `${path}/${data[0]!.id}`, { [field]: randomUUID() });
}

const setPolicy = (family: 'tool' | 'prompt' | 'resource', body: object) =>
  byOwner('PUT', `${acme.red.path}/policies/${family}`, body);
const policyChange = (
  family: 'tool' | 'prompt' | 'resource',
  list: List,
  other: () => object,
): AnnouncedChange => ({
  change: () => setPolicy(family, other()),
  restore: () => setPolicy(family, acme.red.policies[family]),
  affected: onTeam(list),
});
const settingsChange = (changed: () => object, list: List): AnnouncedChange => ({
  change: () => byOwner('PUT', `${acme.path}/mcp-settings`, { ...acme.settings, ...changed() }),
  restore: () => byOwner('PUT', `${acme.path}/mcp-settings`, acme.settings),
  affected: onAll(list),
});
const roleChange = (
  path: () => string,
  changed: () => object,
  before: () => object,
  of: StreamName,
): AnnouncedChange => ({
  change: () => byOwner('PATCH', path(), changed()),
  restore: () => byOwner('PATCH', path(), before()),
  affected: { [of]: ['prompts'] },
});
const keyOfMia = (body: object) =>
  must(acme.mia, { method: 'PATCH', path: `/api/keys/${acme.keys.mia.id}`, body });

const changes: Readonly<Record<string, AnnouncedChange>> = {
  'editing a role': roleChange(
    () => `${acme.path}/roles/${acme.roles.calling.id}`,
    () => ({ capabilities: acme.without('prompts') }),
    () => ({ capabilities: LISTS }),
    'mia',
  ),
  'giving a member another role': roleChange(
    () => `${acme.path}/members/${acme.mia.account_id}`,
    () => ({ role_ids: [acme.roles.fewer.id] }),
    () => ({ role_ids: [acme.roles.calling.id] }),
    'mia',
  ),
  'editing a team role': roleChange(
    () => `${acme.path}/team-roles/${acme.teamRoles.full.id}`,
    () => ({ capabilities: acme.without('prompts') }),
    () => ({ capabilities: LISTS }),
    'tom',
  ),
  'giving a seat another role': roleChange(
    () => acme.red.seat(acme.tom),
    () => ({ role_ids: [acme.teamRoles.fewer.id] }),
    () => ({ role_ids: [acme.teamRoles.full.id] }),
    'tom',
  ),
  'removing a person from a team, and adding them': {
    change: () => byOwner('DELETE', acme.red.seat(acme.mia)),
    restore: () => acme.red.add(acme.owner, acme.mia),
    affected: { mia: LISTS },
  },
  'binding a member’s key': {
    change: () => keyOfMia({ team_ids: [] }),
    restore: () => keyOfMia({ team_ids: null }),
    affected: { mia: LISTS },
  },
  'changing the capabilities of a key': {
    change: () => keyOfMia({ mcp_capabilities: acme.without('prompts') }),
    restore: () => keyOfMia({ mcp_capabilities: LISTS }),
    affected: { mia: ['prompts'] },
  },
  'binding a key of the organization': {
    change: () =>
      byOwner('PATCH', `${acme.path}/keys/${acme.keys.service.id}`, { team_ids: [acme.blue.id] }),
    restore: () =>
      byOwner('PATCH', `${acme.path}/keys/${acme.keys.service.id}`, { team_ids: [acme.red.id] }),
    affected: { service: LISTS },
  },
  'a team’s tool policy': policyChange('tool', 'tools', () => ({
    ...{ mode: 'whitelist', tools: ['calculator', 'hash'].map(toolId) },
  })),
  'a team’s prompt policy': policyChange('prompt', 'prompts', () => ({ mode: 'all' })),
  'renaming a team': {
    change: () => byOwner('PATCH', acme.red.path, { name: 'crimson' }),
    restore: () => byOwner('PATCH', acme.red.path, { name: 'red' }),
    affected: onTeam(...LISTS),
  },
  'selecting a tool for all': settingsChange(
    () => ({
      tools: [...acme.settings.tools, toolId('uuid')],
      organization_wide_tools: [toolId('uuid')],
    }),
    'tools',
  ),
  'designating a tool': settingsChange(
    () => ({ organization_wide_tools: [toolId('hash')] }),
    'tools',
  ),
  'designating a prompt': settingsChange(
    () => ({ organization_wide_prompts: [promptId] }),
    'prompts',
  ),
  'a team’s prompt': { ...item(() => acme.red.path, 'prompts'), affected: onTeam('prompts') },
  'a team’s resource': { ...item(() => acme.red.path, 'resources'), affected: onTeam('resources') },
  'a team’s tool': { ...item(() => acme.red.path, 'custom-tools'), affected: onTeam('tools') },
  'the title of a team’s prompt': {
    change: () => editGuide('prompts', 'title'),
    restore: () => editGuide('prompts', 'title'),
    affected: onTeam('prompts'),
  },
  'the title of a team’s resource': {
    change: () => editGuide('resources', 'title'),
    restore: () => editGuide('resources', 'title'),
    affected: onTeam('resources'),
  },
  'the description of a team’s tool': {
    change: () => editGuide('custom-tools', 'description'),
    restore: () => editGuide('custom-tools', 'description'),
    affected: onTeam('tools'),
  },
  'an item of the catalog for all': {
    ...item(() => acme.path, 'prompts', { organization_wide: true }),
    affected: onAll('prompts'),
  },
  'a resource of the catalog that a team’s policy admits': {
    ...item(() => acme.path, 'resources', { path: 'admitted/a.md' }),
    affected: { ...onAll('resources') },
  },
  'a tool of the catalog that nobody sees': {
    ...item(() => acme.path, 'custom-tools'),
    affected: {},
  },
  'content of a member’s own space': {
    change: () =>
      must(acme.mia, { path: `${acme.path}/me/prompts`, body: draftOf('prompts', 'mine') }),
    restore: async () => {
      const path = `${acme.path}/me/prompts`;
      const { data } = await must<{ data: { id: string }[] }>(acme.mia, { path });
      await must(acme.mia, { method: 'DELETE', path: `${path}/${data[0]!.id}` });
    },
    affected: { mia: ['prompts'] },
  },
};

const entriesOf = (affected: Affected) =>
  Object.entries(affected) as [StreamName, readonly List[]][];

/** Expects that since the last check nothing but these lists was announced on any stream. */
async function expectNothingElse(affected: Affected, names = Object.keys(acme.streams)) {
  await acme.editWatched();
  for (const name of names as StreamName[])
    await acme.streams[name].expectResource(affected[name] ?? []);
}

test.each(Object.entries(changes))(
  'the streams of the credentials that see a change are told of it, and no others: %s',
  async (_, { change, restore, affected }) => {
    for (const step of [change, restore]) {
      await step();
      for (const [name, lists] of entriesOf(affected)) await acme.streams[name].expectLists(lists);
    }
    await expectNothingElse(affected);
  },
);

test('promoting a team’s item is announced to the credentials that lose it or find it in the catalog, and to no others', async () => {
  const expectAnnounced = async (affected: Affected) => {
    for (const [name, lists] of entriesOf(affected)) await acme.streams[name].expectLists(lists);
  };
  const { red, path } = acme;
  const made = await byOwner('POST', `${red.path}/prompts`, draftOf('prompts', 'promoted'));
  await expectAnnounced(onTeam('prompts'));

  // The policies of both teams admit it in the catalog.
  await byOwner('POST', `${red.path}/prompts/${made.id}/promote`);

  await expectAnnounced(onAll('prompts'));
  await byOwner('DELETE', `${path}/prompts/${made.id}`);
  await expectAnnounced(onAll('prompts'));
  await expectNothingElse(onAll('prompts'));
});

test('deleting a team is announced to the credentials that were active on it, and to no others', async () => {
  await byOwner('DELETE', acme.blue.path, { confirm: 'blue' });

  await acme.streams.ben.expectLists(LISTS);
  await expectNothingElse({ ben: LISTS });
});

test('the stream of a member’s key ends when the person leaves the organization; all others go on unchanged', async () => {
  await byOwner('DELETE', `${acme.path}/members/${acme.tom.account_id}`);

  await acme.streams.tom.expectEnd();
  await expectNothingElse({}, ['mia', 'ben', 'service', 'elsewhere', 'personal']);
});

test('all streams in an organization end when it is suspended; those of its members elsewhere go on unchanged', async () => {
  await acme.joins.setStatus(acme.id, 'suspended');

  for (const name of ['mia', 'ben', 'service'] as const) await acme.streams[name].expectEnd();
  await acme.joins.setStatus(acme.id, 'active');
  await expectNothingElse({}, ['elsewhere', 'personal']);
});
