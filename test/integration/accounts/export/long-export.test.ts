import { get } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { ownAddresses, signUp } from '../../../support/people/people.ts';
import { useProxiedGateway } from '../../../support/worlds/use-proxied-gateway.ts';

const RESOURCES = 48;
const MEGABYTE = 1_048_576;

const { world, gateway, proxy: postgres } = await useProxiedGateway('DATABASE_URL', ownAddresses);
const ada = await signUp(world, gateway, 'ada');
await world.query(
  `WITH made AS (
     INSERT INTO item (id, space_id, family, name, version, head)
     SELECT gen_random_uuid(), $1, 'resource', 'long/' || n, 1,
       '{"title": null, "description": null, "mime_type": "text/plain", "size": 1048576}'
     FROM generate_series(1, $2::int) AS n RETURNING id, name
   )
   INSERT INTO item_version (item_id, version, space_id, name, content, actor_kind)
   SELECT id, 1, $1, name, jsonb_build_object('text', repeat('x', $3), 'blob', null), 'user'
   FROM made`,
  [ada.account_id, RESOURCES, MEGABYTE],
);

/** Resolves with the response as soon as it begins, without reading its body. */
const beginExport = () =>
  new Promise<IncomingMessage>((resolve, reject) => {
    get(`${gateway.url}/api/user/export`, { headers: ada.bearer }, resolve).on('error', reject);
  });

test('an export pauses its database reads while the client does not read', async () => {
  const before = postgres.replied();
  const answer = await beginExport();
  let read = 0;
  const isStalled = () => {
    const last = read;
    read = postgres.replied() - before;
    return read > 3 * MEGABYTE && read - last < MEGABYTE;
  };
  await expect.poll(isStalled, { interval: 1_000, timeout: 20_000 }).toBe(true);

  // Two system buffers and one page.
  expect(read).toBeLessThan((RESOURCES / 2) * MEGABYTE);
  const { resources } = JSON.parse(await text(answer)) as { resources: { path: string }[] };
  expect(new Set(resources.map(({ path }) => path)).size).toBe(RESOURCES);
  expect(postgres.replied() - before).toBeGreaterThan(RESOURCES * MEGABYTE);
});

test('an export that loses its database connection is aborted, not completed as a shorter file', async () => {
  const answer = await beginExport();
  postgres.loseReply('JOIN item_version', 'cut');

  await expect(text(answer)).rejects.toThrow('aborted');
  expect(postgres.lost()).toBe(1);
  expect(await text(await beginExport())).toMatch(/\}$/);
});
