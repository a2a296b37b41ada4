import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { Preview } from '../../../src/keys/schema.ts';
import { useGateway } from '../../support/worlds/use-gateway.ts';
import { createAuthor, faultsOf } from '../content/author.ts';

const { world, gateway } = await useGateway();
const ada = await createAuthor(world, gateway);

const message = { role: 'user', content: 'Hello.' };
const families = [
  ['prompt', 'prompts', { messages: [message] }],
  ['agent', 'agents', { description: 'Helps.', instructions: 'Help.' }],
] as const;

async function visibleIds(key: object, family: 'prompts' | 'agents') {
  const { body } = await ada.rest('/api/keys/preview', { ...key, name: randomUUID() });
  return (body as unknown as Preview).visible[family].map(({ id }) => id);
}

describe.each(families)('deleting an item (%s) that a policy names', (noun, family, content) => {
  const field = `${noun}_policy`;
  const add = async () => {
    const name = `x_${randomUUID().slice(0, 8)}`;
    return (await ada.rest(`/api/me/${family}`, { name, ...content })).body.id;
  };
  const remove = async (id: string) =>
    expect((await ada.rest(`/api/me/${family}/${id}`, undefined, 'DELETE')).status).toBe(204);
  const read = async (id: string) => (await ada.rest(`/api/keys/${id}`)).body;

  test('removes its id from every list, and an emptied whitelist admits nothing (PO15)', async () => {
    const [kept, deleted] = [await add(), await add()];
    const key = async (mode: string, ids: string[]) =>
      (await ada.createKey({ mcp_capabilities: [family], [field]: { mode, [family]: ids } })).id;
    const [both, white, black] = [
      await key('whitelist', [kept, deleted]),
      await key('whitelist', [deleted]),
      await key('blacklist', [deleted]),
    ];

    await remove(deleted);

    expect((await read(both))[field]).toEqual({ mode: 'whitelist', [family]: [kept] });
    expect((await read(white))[field]).toEqual({ mode: 'whitelist', [family]: [] });
    expect(await visibleIds(await read(white), family)).toEqual([]);
    expect(await visibleIds(await read(black), family)).toContain(kept);
  });

  test('leaves an emptied list, which may be sent back unchanged; a new empty list is refused', async () => {
    const deleted = await add();
    const policy = { mode: 'whitelist', [family]: [deleted] };
    const { id } = await ada.createKey({ mcp_capabilities: [family], [field]: policy });
    await remove(deleted);
    const stored = (await read(id))[field];
    const send = (body: object) => ada.rest(`/api/keys/${id}`, body, 'PATCH');

    const same = await send({ [field]: stored, name: `renamed ${id}` });
    const other = await send({ [field]: { mode: 'blacklist', [family]: [] } });

    expect([same.status, same.body[field], same.body['name']]).toEqual([
      ...[200, stored],
      `renamed ${id}`,
    ]);
    expect(faultsOf(other)).toEqual([422, `empty_list /${field}/${family}`]);
    expect((await read(id))[field]).toEqual(stored);
  });
});
