import { Redis } from 'ioredis';
import { onTestFinished } from 'vitest';
import type { World } from './world.ts';

/** Reads every row of every table as text. */
export async function readTables({ query }: World): Promise<Map<string, string>> {
  const tables = await query<{ name: string }>(
    `SELECT quote_ident(table_name) AS name FROM information_schema.tables
     WHERE table_schema = 'public' AND table_type = 'BASE TABLE'`,
  );
  const texts = new Map<string, string>();
  for (const { name } of tables) {
    const rows = await query<{ row: string }>(`SELECT one::text AS row FROM ${name} one`);
    texts.set(`table ${name}`, rows.map(({ row }) => row).join('\n'));
  }
  return texts;
}

/** Reads every Redis key of this world with its value. */
export async function readRedis({ env }: World): Promise<Map<string, string>> {
  const redis = new Redis(env['REDIS_URL']!);
  onTestFinished(() => redis.disconnect());
  const readers: Readonly<Record<string, (key: string) => Promise<unknown>>> = {
    string: (key) => redis.get(key),
    hash: (key) => redis.hgetall(key),
    list: (key) => redis.lrange(key, 0, -1),
    set: (key) => redis.smembers(key),
    zset: (key) => redis.zrange(key, '0', '-1'),
    stream: (key) => redis.xrange(key, '-', '+'),
  };
  const keys = await redis.keys(`${env['REDIS_PREFIX']}*`);
  const texts = new Map<string, string>();
  for (const key of keys) {
    const value = await readers[await redis.type(key)]?.(key);
    texts.set(`redis ${key}`, `${key} ${JSON.stringify(value)}`);
  }
  return texts;
}

/** Returns a text unchanged, in hex and in base64: columns and headers may contain any of these. */
export const encodings = (text: string) => [
  text,
  Buffer.from(text).toString('hex'),
  Buffer.from(text).toString('base64').replace(/=+$/, ''),
];
