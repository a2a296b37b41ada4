// The floor with state: the same POST, with the authentication query shared by requests that wait
// together, two at once, and an admission script for each call, auto-pipelined; nothing of MCP or of
// authorization. It is written out here, so that what the gateway does better than this does not
// lower the measure it is held to.
import { createHash, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { once } from 'node:events';
import process from 'node:process';
import Fastify from 'fastify';
import { Redis } from 'ioredis';
import { readCredentials } from '../../../src/credentials/store.ts';
import { loadConfig } from '../../../src/platform/config/config.ts';
import { createDatabase } from '../../../src/platform/postgres/database.ts';
import { createGrouped } from '../../../src/platform/concurrency/grouped.ts';

const config = loadConfig(process.env, (path) => readFileSync(path, 'utf8'));
const onIdleError = () => {};
const database = await createDatabase({ url: config.DATABASE_URL, onIdleError });
const redis = new Redis(config.REDIS_URL, { commandTimeout: 150, enableAutoPipelining: true });
const prefix = config.REDIS_PREFIX;
const find = createGrouped({
  read: (hashes) => readCredentials(database.hot, hashes),
  inFlight: 2,
});
const script = ['calendar.lua', 'admission.lua']
  .map((file) =>
    readFileSync(new URL(`../../../src/limits/counters/${file}`, import.meta.url), 'utf8'),
  )
  .join('\n');
const sha = createHash('sha1').update(script).digest('hex');
await once(redis, 'ready');
await redis.script('LOAD', script);

const limits = { minute: 1e8, hour: 1e8, day: 1e8, month: 1e8 };

/** Admitted: the windows are far off, and the month is seeded with what it has. */
async function admit(owner: string): Promise<void> {
  const batch = `${prefix}floor:{${owner}}:batch:${randomUUID()}`;
  const seed = { calls: 0, month: new Date().toISOString().slice(0, 7) };
  const asked = JSON.stringify([{ counters: 2, limits, seed }]);
  const answer = await redis.evalsha(sha, 2, batch, `${prefix}floor:{${owner}}:calls`, asked);
  if (JSON.parse(answer as string).answers[0].answer.verdict !== 'admitted')
    throw new Error('not admitted');
}

const result = {
  content: [{ type: 'text', text: '{"ok":true}' }],
  structuredContent: { ok: true },
};

const app = Fastify();
app.setErrorHandler((error, _request, reply) => reply.code(503).send(String(error)));
// oxlint-disable-next-line oxc/no-async-endpoint-handlers -- Fastify awaits its handlers.
app.post('/mcp', async (request) => {
  const secret = String(request.headers['x-api-key']);
  const caller = await find(createHash('sha256').update(secret).digest('hex'));
  if (!caller?.usable) throw new Error('not a usable key');
  await admit(caller.principal.quota_owner.id);
  return { jsonrpc: '2.0', id: (request.body as { id: number }).id, result };
});
await app.listen({ port: config.PORT, host: '127.0.0.1' });
process.on('SIGTERM', () => process.exit(0));
console.log('ready');
