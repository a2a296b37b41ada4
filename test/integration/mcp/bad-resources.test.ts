import { describe, expect, test } from 'vitest';
import { createItem } from '../../support/worlds/items.ts';
import { useGateway } from '../../support/worlds/use-gateway.ts';
import { eras } from './both-eras.ts';
import { createKeyHolder } from './key-holder.ts';

const note = (path: string) => ({ path, mime_type: 'text/plain', text: `The text of ${path}.` });

const { world, gateway } = await useGateway();
const ada = await createKeyHolder(world, gateway);
const stranger = await createKeyHolder(world, gateway);
await createItem(stranger, 'resources', note('foreign'));
for (const path of ['notes/one', 'private/one']) await createItem(ada, 'resources', note(path));
const resource_policy = { mode: 'blacklist', patterns: ['private/**'] };
/** A key that can read everything except `private/**`, and one without the capability. */
const { secret } = await ada.createKey({ mcp_capabilities: ['resources'], resource_policy });
const keyWithoutResources = (await ada.createKey({ mcp_capabilities: ['tools'] })).secret;

const MINE = 'toolgate://me/';
const withinSpace = [
  ...['nothing', 'foreign', 'private/one', 'Notes/one', 'notes', 'notes/one/', 'notes//one'],
  ...['notes/../notes/one', '%6eotes/one', '../one', 'notes/one?x', 'notes/one#x', ''],
].map((path) => MINE + path);
const outsideSpace = [
  ...['', 'notes/one', 'file:///etc/passwd', 'http://127.0.0.1/', 'toolgate://team/x/one'],
  ...['toolgate://org/notes/one', 'TOOLGATE://me/notes/one', '__proto__', 'x'.repeat(8_000)],
];

describe.each(eras)('resources/read in MCP %s', (era, createSender) => {
  const read = async (uri: unknown, key = secret) =>
    (await createSender(ada.endpoint, key))('resources/read', { uri });
  const [code, message] = era === '2025' ? [-32601, 'Not found'] : [-32602, 'Resource not found'];
  const absent = {
    status: 200,
    text: JSON.stringify({ jsonrpc: '2.0', id: 1, error: { code, message } }),
  };

  test.each([
    ['within the space', withinSpace],
    ['outside the space', outsideSpace],
  ])('unreadable URIs %s get the same "not found" response (B3-15)', async (_where, uris) => {
    for (const uri of uris) expect(await read(uri), uri).toEqual(absent);
    expect((await read(`${MINE}notes/one`)).text).toContain('The text of notes/one.');
  });

  test('no resource is found without the capability (B3-15, C1)', async () => {
    expect(await read(`${MINE}notes/one`, keyWithoutResources)).toEqual(absent);
  });

  test.each([undefined, 5, null, [MINE], {}])('a URI of %j is invalid', async (uri) => {
    const { error } = JSON.parse((await read(uri)).text);

    expect(error).toMatchObject({ code: -32602, data: { code: 'invalid_params' } });
  });
});
