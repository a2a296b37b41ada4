import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import type { Preview } from '../../../src/keys/schema.ts';
import { faultsOf, useAuthors } from '../content/author.ts';
import type { Author, ItemBody } from '../content/author.ts';
import { toolId } from '../mcp/key-holder.ts';
import { unknownId } from './managing.ts';

const { ada, bob } = await useAuthors();
await ada.select(['calculator', 'hash']);

const SYSTEM = ['setup', 'bootstrap', 'agent_context'];
const FULL = { mcp_capabilities: ['tools', 'prompts', 'resources', 'agents'] };
const draft = (fields: object = {}) => ({ name: `draft ${randomUUID()}`, ...FULL, ...fields });
const ask = (author: Author, body: object) => author.rest('/api/keys/preview', body);
async function preview(author: Author, fields: object = {}): Promise<Preview> {
  const { status, body } = await ask(author, draft(fields));
  expect(status).toBe(200);
  return body as unknown as Preview;
}
const names = (items: readonly { name: string }[]) => items.map(({ name }) => name);
const whyNot = ({ hidden }: Preview, itemName: string) =>
  hidden.find(({ name }) => name === itemName)?.because;
const faults = (answer: Preview) => faultsOf({ status: 200, body: answer as unknown as ItemBody });

test('the preview shows what a draft would reach, and every reason for the rest', async () => {
  const whitelist = { mode: 'whitelist', tools: [toolId('hash')] };

  const open = await preview(ada);
  const narrow = await preview(ada, { tool_policy: whitelist, mcp_capabilities: ['prompts'] });

  expect(names(open.visible.tools)).toEqual([...SYSTEM, 'calculator', 'hash']);
  expect(open.visible.tools.filter(({ system }) => system === true)).toHaveLength(3);
  expect(whyNot(open, 'uuid')).toEqual(['not_selected']);
  expect(names(narrow.visible.tools)).toEqual(SYSTEM);
  expect(whyNot(narrow, 'hash')).toEqual(['capability_missing']);
  expect(whyNot(narrow, 'calculator')).toEqual(['capability_missing', 'key_policy']);
  expect(whyNot(narrow, 'uuid')).toEqual(['capability_missing', 'not_selected', 'key_policy']);
  expect(narrow.counts.hidden).toBe(narrow.hidden.length);
});

test('a preview contains no items of another account, visible or hidden', async () => {
  const prompt = { name: 'of_bob', messages: [{ role: 'user', content: 'Hello.' }] };
  const { body } = await bob.rest('/api/me/prompts', prompt);

  const own = JSON.stringify(await preview(bob));
  const foreign = JSON.stringify(await preview(ada));

  expect(own).toContain(body.id);
  expect(foreign).not.toContain(body.id);
});

test('a preview saves no key and no audit entry, and does not take the name', async () => {
  const before = await Promise.all([ada.rest('/api/keys'), ada.rest('/api/me/audit')]);

  const body = draft();
  await ask(ada, body);

  const after = await Promise.all([ada.rest('/api/keys'), ada.rest('/api/me/audit')]);
  expect(after.map((answer) => answer.body)).toEqual(before.map((answer) => answer.body));
  expect((await ada.rest('/api/keys', body)).status).toBe(201);
});

test('problems for which a key would be refused are listed with a 200; a malformed draft gets a 400', async () => {
  const taken = draft();
  await ada.rest('/api/keys', taken);
  const faulty = {
    name: taken.name,
    grants: [{ scope: { type: 'personal' }, permissions: ['can_fly'] }],
    tool_policy: { mode: 'whitelist', tools: [unknownId] },
    default_agent_id: unknownId,
    expires_at: '2020-01-01T00:00:00Z',
  };

  expect(faults(await preview(ada, faulty))).toEqual([
    200,
    'name_taken /name',
    'unknown_permission /grants/0/permissions/0',
    'unknown_item /tool_policy/tools/0',
    'agent_unavailable /default_agent_id',
    'expires_at_past /expires_at',
  ]);
  expect((await ask(ada, draft({ tool_policy: { mode: 'whitelist' } }))).status).toBe(400);
  expect((await ask(ada, FULL)).status).toBe(400);
});

test('a key for an organization its owner is not a member of would reach nothing', async () => {
  const answer = await preview(ada, { org_scope: unknownId });

  expect(faults(answer)).toEqual([200, 'not_a_member /org_scope']);
  expect(Object.values(answer.visible).flat()).toEqual([]);
  expect(whyNot(answer, 'hash')).toContain('not_connected');
});

test('only a session may request a preview', async () => {
  const grants = [{ scope: { type: 'personal' }, permissions: ['can_view_tools'] }];
  const { secret } = await ada.createKey({ grants });

  const { status } = await ada.restWith(secret)('/api/keys/preview', draft());

  expect(status).toBe(403);
});
