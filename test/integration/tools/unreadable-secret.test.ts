import { expect, test } from 'vitest';
import { useAuthors } from '../content/author.ts';

const { ada, world } = await useAuthors();

test('a tool whose secret cannot be decrypted can still be saved, and lists its secret names', async () => {
  const path = '/api/me/custom-tools';
  const created = await ada.rest(path, {
    name: 'weather',
    kind: 'http',
    description: 'Asks a server.',
    http: {
      method: 'GET',
      url: 'https://api.example.com/',
      headers: { 'x-token': '{{secret.token}}' },
    },
    secrets: { token: 'a secret' },
  });
  expect([created.status, created.body['secrets']]).toEqual([201, ['token']]);
  await world.query(`UPDATE tool_secret SET sealed = '\\x00' WHERE item_id = $1`, [
    created.body.id,
  ]);

  const toolPath = `${path}/${created.body.id}`;
  const changed = await ada.rest(toolPath, { description: 'Asks another.' }, 'PATCH');

  expect([changed.status, changed.body['secrets'], changed.body['missing_secrets']]).toEqual([
    200,
    ['token'],
    [],
  ]);
  expect((await ada.rest(toolPath)).status).toBe(200);
});
