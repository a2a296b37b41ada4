import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import type { KeyEditPreview } from '../../../src/keys/schema.ts';
import { useAuthors } from '../content/author.ts';
import { toolId } from '../mcp/key-holder.ts';

const { world, ada, bob } = await useAuthors();
await ada.select(['calculator', 'hash']);

const FULL = ['tools', 'prompts', 'resources', 'agents'];
const createKey = (fields: object = {}) => ada.createKey({ mcp_capabilities: FULL, ...fields });
async function previewEdit(id: string, edit: object): Promise<KeyEditPreview> {
  const { status, body } = await ada.rest(`/api/keys/${id}/preview`, edit);
  expect([status, body]).toEqual([200, expect.anything()]);
  return body as unknown as KeyEditPreview;
}
const names = (items: readonly { name: string }[]) => items.map(({ name }) => name);
const changeOf = ({ gained, lost }: KeyEditPreview) => [names(gained.tools), names(lost.tools)];
const whitelist = (...tools: string[]) => ({
  tool_policy: { mode: 'whitelist', tools: tools.map(toolId) },
});

test('the preview of an edit shows what the key would see, gain and lose', async () => {
  const { id } = await createKey(whitelist('hash'));

  const widened = await previewEdit(id, { tool_policy: { mode: 'all' } });
  const moved = await previewEdit(id, whitelist('calculator'));
  const without = await previewEdit(id, { mcp_capabilities: ['prompts'] });

  expect(changeOf(widened)).toEqual([['calculator'], []]);
  expect(changeOf(moved)).toEqual([['calculator'], ['hash']]);
  expect(changeOf(without)).toEqual([[], ['hash']]);
  expect(moved.counts.gained).toEqual({ tools: 1, prompts: 0, resources: 0, agents: 0 });
  expect(names(moved.visible.tools)).toContain('calculator');
  expect(moved.errors).toEqual([]);
});

test('the preview of an edit equals the preview of the key after the edit', async () => {
  const { id } = await createKey(whitelist('hash'));
  const edit = {
    ...whitelist('calculator'),
    grants: [{ scope: { type: 'personal' }, permissions: ['can_create_prompts'] }],
    mcp_capabilities: ['tools', 'agents'],
  };

  const { gained: _gained, lost: _lost, ...predicted } = await previewEdit(id, edit);
  const { status } = await ada.rest(`/api/keys/${id}`, edit, 'PATCH');
  const { body } = await ada.rest(`/api/keys/${id}/preview`);

  expect(status).toBe(200);
  const { visible, hidden } = predicted.counts;
  expect({ ...predicted, counts: { visible, hidden } }).toEqual(body);
});

test('the errors are those that the edit returns, and a refused edit changes nothing', async () => {
  const name = `taken ${randomUUID()}`;
  await createKey({ name });
  const { id } = await createKey(whitelist('hash'));
  const edit = { name, tool_policy: { mode: 'all' }, expires_at: '2020-01-01T00:00:00Z' };

  for (const sent of [edit, { ...edit, name: `free ${randomUUID()}` }]) {
    const predicted = await previewEdit(id, sent);
    const { body } = await ada.rest(`/api/keys/${id}`, sent, 'PATCH');
    expect(predicted.errors).toEqual(body.errors);
    expect(changeOf(predicted)).toEqual([[], []]);
  }
  const malformed = { tool_policy: { mode: 'whitelist' } };
  expect((await ada.rest(`/api/keys/${id}/preview`, malformed)).status).toBe(400);
});

test('the preview of an edit saves no row, revision or tuple', async () => {
  const { id } = await createKey(whitelist('hash'));
  const state = async () =>
    Promise.all([
      world.query('SELECT * FROM api_key WHERE id = $1', [id]),
      world.query('SELECT * FROM authz_scope ORDER BY kind, id'),
      world.query('SELECT kind, id, seq, part FROM authz_outbox ORDER BY kind, id, seq, part'),
      world.query('SELECT count(*) FROM authz_touched'),
      ada.rest('/api/me/audit').then(({ body }) => body),
    ]);
  const before = await state();

  await previewEdit(id, { name: `other ${randomUUID()}`, mcp_capabilities: [], grants: [] });

  expect(await state()).toEqual(before);
});

test('only the owner previews an edit of a key, in a session', async () => {
  const { id, secret } = await createKey({
    grants: [{ scope: { type: 'personal' }, permissions: ['can_view_tools'] }],
  });
  const path = `/api/keys/${id}/preview`;

  expect((await bob.rest(path, {})).status).toBe(404);
  expect((await ada.restWith(secret)(path, {})).status).toBe(403);
});
