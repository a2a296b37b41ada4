import { get } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { ownAddresses, signInAs, signUp } from '../../../support/people/people.ts';
import { useProxiedGateway } from '../../../support/worlds/use-proxied-gateway.ts';

const RESOURCES = 48;
const MEGABYTE = 1_048_576;
/** More than a second, after which a long reply is checked again. */
const UNCHECKED_MS = 1_200;
const MAX_OF_OWNER = 8;

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
const beginExport = ({ bearer: headers } = ada) =>
  new Promise<IncomingMessage>((resolve, reject) => {
    get(`${gateway.url}/api/user/export`, { headers }, resolve).on('error', reject);
  }).then((answer) => {
    // The gateway cannot close while it waits for a client that does not read.
    onTestFinished(() => void answer.destroy());
    return answer;
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

test('an export is cut off when its session ends; one of another session is not', async () => {
  const second = await signInAs(ada);
  const [ended, lasting] = [await beginExport(second), await beginExport()];
  await ada.person.ask({ method: 'POST', path: '/api/auth/logout', headers: second.bearer });
  await setTimeout(UNCHECKED_MS);

  await expect(text(ended)).rejects.toThrow('aborted');
  expect(await text(lasting)).toMatch(/\}$/);
});

test('a person gets eight exports of a gateway at a time, then 429', async () => {
  const started = [];
  for (let count = 0; count < MAX_OF_OWNER; count += 1) started.push(await beginExport());
  const refused = await beginExport();

  expect(started.map(({ statusCode }) => statusCode)).toEqual(started.map(() => 200));
  expect([refused.statusCode, refused.headers['retry-after']]).toEqual([429, '10']);
});
