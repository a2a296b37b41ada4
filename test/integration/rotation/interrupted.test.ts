import { expect, onTestFinished, test } from 'vitest';
import pg from 'pg';
import { toolSecrets } from '../../../src/content/tools/store.ts';
import { createSecrets } from '../../../src/platform/secrets.ts';
import { createWorld } from '../../support/worlds/world.ts';
import { closeAfterTests } from '../../support/worlds/close-after-tests.ts';
import { createAuthor } from '../content/author.ts';
import {
  addSecrets,
  current,
  idOf,
  NEW,
  OLD,
  rotate,
  secretsOf,
  waitsForLock,
} from './rotation-world.ts';

const world = await closeAfterTests(createWorld({ SECRETS_KEY: OLD }));
const ada = await createAuthor(world, await world.gateway());

/** Creates a custom tool with many secrets encrypted with the old key. */
async function createToolWithSecrets(count: number) {
  const created = await ada.rest('/api/me/custom-tools', {
    name: `tool_${crypto.randomUUID().slice(0, 8)}`,
    kind: 'http',
    description: 'Asks a server.',
    http: { method: 'GET', url: 'https://api.example.com/' },
  });
  expect(created.status).toBe(201);
  const [item] = await world.query<{ space_id: string }>(
    'SELECT space_id FROM item WHERE id = $1',
    [created.body.id],
  );
  const tool = { item_id: created.body.id, space_id: item!.space_id };
  return { ...tool, values: await addSecrets(world, tool, count) };
}

/** Locks one row, as a gateway does to change it; `set` replaces its ciphertext and commits. */
async function lockSecret(item_id: string, name: string) {
  const client = new pg.Client({ connectionString: world.env['DATABASE_URL']! });
  await client.connect();
  onTestFinished(() => client.end());
  const rowKey = [item_id, name];
  const condition = 'WHERE item_id = $1 AND name = $2';
  await client.query('BEGIN');
  await client.query(`SELECT FROM tool_secret ${condition} FOR UPDATE`, rowKey);
  return {
    release: () => client.query('ROLLBACK'),
    async set(sealed: Buffer) {
      await client.query(`UPDATE tool_secret SET sealed = $3 ${condition}`, [...rowKey, sealed]);
      await client.query('COMMIT');
    },
  };
}

test('a command that is killed midway loses no secret, and the next run completes the rotation', async () => {
  const { item_id, values } = await createToolWithSecrets(500);
  const lock = await lockSecret(item_id, 'S0300');
  const killed = rotate(world, current);
  await expect.poll(() => waitsForLock(world), { timeout: 30_000, interval: 20 }).toBe(true);
  killed.kill();
  expect((await killed.ended).code).toBe('SIGKILL');
  await lock.release();
  await expect.poll(() => waitsForLock(world)).toBe(false);

  const midway = await secretsOf(world, item_id);
  const { code, lines } = await rotate(world, current).ended;
  const after = await secretsOf(world, item_id);

  expect(midway.byName).toEqual(values);
  expect(midway.moved).toBeGreaterThan(0);
  expect(midway.moved).toBeLessThan(500);
  expect(code).toBe(0);
  expect(lines[0]).toBe(`Custom tool secrets: ${500 - midway.moved} re-encrypted, 0 remain.`);
  expect(after).toEqual({ byName: values, moved: 500 });
}, 120_000);

test('a secret that is set while the command runs is not overwritten', async () => {
  const { item_id, space_id, values } = await createToolWithSecrets(3);
  const lock = await lockSecret(item_id, 'S0001');
  const origin = 'https://api.example.com';
  const owner = toolSecrets.ownerOf({ item_id, space_id, origin, name: 'S0001' });
  const sealed = createSecrets(NEW).encrypt(toolSecrets.label, owner, 'set meanwhile');
  const running = rotate(world, current);
  await expect.poll(() => waitsForLock(world), { timeout: 30_000, interval: 20 }).toBe(true);
  await lock.set(sealed);

  const { code, lines } = await running.ended;

  expect(code).toBe(0);
  expect(lines[0]).toBe('Custom tool secrets: 2 re-encrypted, 0 remain.');
  const { byName, moved } = await secretsOf(world, item_id);
  expect(byName).toEqual(new Map([...values, ['S0001', 'set meanwhile']]));
  expect(moved).toBe(3);
}, 120_000);

test('a damaged ciphertext is kept and reported, and does not prevent the re-encryption of other rows', async () => {
  const { item_id } = await createToolWithSecrets(3);
  await world.query(
    `UPDATE tool_secret SET sealed = set_byte(sealed, 40, 255 - get_byte(sealed, 40))
     WHERE item_id = $1 AND name = 'S0001'`,
    [item_id],
  );

  const { code, lines } = await rotate(world, current).ended;

  expect(code).toBe(1);
  expect(lines.slice(0, 2)).toEqual([
    'Custom tool secrets: 2 re-encrypted, 1 remain.',
    `  1 of key ${idOf(OLD)}, written or damaged in the meantime: run this again`,
  ]);
}, 120_000);
