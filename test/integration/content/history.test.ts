import { expect, test } from 'vitest';
import { useGateway } from '../../support/worlds/use-gateway.ts';
import { eras } from '../mcp/both-eras.ts';
import { createAuthor } from './author.ts';

const { world, gateway } = await useGateway();
const ada = await createAuthor(world, gateway);

const path = '/api/me/resources';
const MAX_BYTES = 10_485_760;
const LARGEST = 1_048_576;
const large = (letter: string) => ({ text: letter.repeat(LARGEST) });

const versionsOf = async (itemPath: string) =>
  (await ada.rest(`${itemPath}/versions`)).body.data.map(({ version }) => version);
const bytesOf = async (id: string) => {
  const [row] = await world.query<{ bytes: string }>(
    `SELECT sum(octet_length(v.content::text)) AS bytes FROM item_version v
     JOIN item i ON i.id = v.item_id WHERE i.id = $1 AND v.version < i.version`,
    [id],
  );
  return Number(row!.bytes);
};

test('the oldest versions are deleted so that an item’s earlier versions take at most ten megabytes', async () => {
  const { body } = await ada.rest(path, { path: 'large.txt', title: 'L', ...large('a') });
  const itemPath = `${path}/${body.id}`;
  for (const letter of 'bcdefghijklm') await ada.rest(itemPath, large(letter), 'PATCH');

  const versions = await versionsOf(itemPath);

  // Nine earlier versions and the active one: ten, with their JSON, would exceed ten megabytes.
  expect(versions).toEqual([13, 12, 11, 10, 9, 8, 7, 6, 5, 4]);
  expect(await bytesOf(body.id)).toBeLessThanOrEqual(MAX_BYTES);
  expect((await ada.rest(`${itemPath}/versions/3/restore`, {}, 'POST')).status).toBe(404);
  const restored = await ada.rest(`${itemPath}/versions/4/restore`, {}, 'POST');
  expect(restored.body).toMatchObject({ version: 14, text: 'd'.repeat(LARGEST) });
});

test('only the hundred newest versions are kept', async () => {
  const { body } = await ada.rest(path, { path: 'many.txt', title: 'M', text: '0' });
  const itemPath = `${path}/${body.id}`;
  for (let text = 1; text <= 101; text += 1)
    await ada.rest(itemPath, { text: String(text) }, 'PATCH');

  const versions = await versionsOf(itemPath);

  expect([versions.length, versions[0], versions.at(-1)]).toEqual([100, 102, 3]);
});

test('after a database restore, a reused version number with other content is not read from the cache', async () => {
  const { body } = await ada.rest(path, { path: 'restored.txt', title: 'R', text: 'before' });
  const { secret } = await ada.createKey({ mcp_capabilities: ['resources'] });
  const ask = await eras[0][1](ada.endpoint, secret);
  const read = async () => {
    const answer = await ask('resources/read', { uri: 'toolgate://me/restored.txt' });
    return (JSON.parse(answer.text) as { result: { contents: { text: string }[] } }).result
      .contents[0]!.text;
  };
  expect(await read()).toBe('before');

  // The state after a restore and another edit: version 1 again, but written at another time.
  await world.query(
    `UPDATE item_version SET content = jsonb_set(content, '{text}', '"after"') WHERE item_id = $1`,
    [body.id],
  );
  await world.query(`UPDATE item SET updated_at = updated_at + interval '1 ms' WHERE id = $1`, [
    body.id,
  ]);
  await world.query(`UPDATE authz_scope SET nonce = gen_random_uuid() WHERE id = $1`, [
    ada.account_id,
  ]);

  expect(await read()).toBe('after');
});
