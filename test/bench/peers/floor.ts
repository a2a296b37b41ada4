// The floor with state: the POST of bare.ts with an authentication query, batched over waiting
// requests with at most two queries at once, and an auto-pipelined admission script for each call;
// no MCP and no authorization. It has its own query and script, so that optimizing the gateway does
// not lower the baseline. With `UPSTREAM_URL`, it sends the body there over a pooled connection.
import { createHash, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { once } from 'node:events';
import process from 'node:process';
import Fastify from 'fastify';
import { Redis } from 'ioredis';
import { Pool } from 'undici';
import { loadConfig } from '../../../src/platform/config/config.ts';
import { createDatabase } from '../../../src/platform/postgres/database.ts';
import { createBatchedRead } from '../../../src/platform/concurrency/grouped.ts';
import { printMemoryAtSignals } from './memory-signals.ts';

const config = loadConfig(process.env, (path) => readFileSync(path, 'utf8'));
const onIdleError = () => {};
const database = await createDatabase({ url: config.DATABASE_URL, onIdleError });
const redis = new Redis(config.REDIS_URL, { commandTimeout: 150, enableAutoPipelining: true });
const prefix = config.REDIS_PREFIX;
const script = readFileSync(new URL('floor.lua', import.meta.url), 'utf8');
const sha = createHash('sha1').update(script).digest('hex');
await once(redis, 'ready');
await redis.script('LOAD', script);

interface Caller {
  hash: string;
  owner: string;
  usable: boolean;
}

// Everything the gateway must read about a key before any decision, as one JSON value per row.
const CALLERS = `
  SELECT row_to_json(caller) AS caller FROM (
    SELECT encode(k.secret_hash, 'hex') AS hash, k.id, k.account_id AS owner, a.plan,
      json_build_array(json_build_object('id', s.id, 'revision', s.revision,
        'applied', s.applied, 'nonce', s.nonce, 'content', s.content)) AS scopes,
      k.tool_policy, k.resource_policy, k.prompt_policy, k.agent_policy,
      k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > now())
        AND a.status = 'active' AS usable,
      coalesce(k.last_used_at > now() - interval '1 minute', false) AS used_lately
    FROM api_key k
    JOIN account a ON a.id = k.account_id
    JOIN authz_scope s ON s.kind = 'account' AND s.id = k.account_id
    LEFT JOIN account_settings o ON o.account_id = k.account_id
    WHERE k.secret_hash = ANY($1::bytea[])
  ) caller`;
const find = createBatchedRead({
  async read(hashes) {
    const { rows } = await database.authPool.query<{ caller: Caller }>({
      name: 'floor-callers',
      text: CALLERS,
      values: [hashes.map((hash) => `\\x${hash}`)],
    });
    return new Map(rows.map(({ caller }) => [caller.hash, caller]));
  },
  inFlight: 2,
});

const limits = { minute: 1e8, hour: 1e8, day: 1e8, month: 1e8 };

/** Admits the call: the limits are never reached. */
async function admit(owner: string): Promise<void> {
  const batch = `${prefix}floor:{${owner}}:batch:${randomUUID()}`;
  const seed = { calls: 0, month: new Date().toISOString().slice(0, 7) };
  const payload = JSON.stringify({ limits, seed });
  const answer = await redis.evalsha(sha, 2, batch, `${prefix}floor:{${owner}}:calls`, payload);
  if (JSON.parse(answer as string).answer.verdict !== 'admitted') throw new Error('not admitted');
}

const ownResult = {
  content: [{ type: 'text', text: '{"ok":true}' }],
  structuredContent: { ok: true },
};

const upstream = process.env['UPSTREAM_URL'];
const pool = upstream === undefined ? null : new Pool(new URL(upstream).origin);

/** Returns the result of the same call at the upstream. */
async function resultFrom(url: string, body: unknown): Promise<unknown> {
  const response = await pool!.request({
    ...{ method: 'POST', path: new URL(url).pathname, body: JSON.stringify(body) },
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
  });
  return ((await response.body.json()) as { result: unknown }).result;
}

const app = Fastify();
app.setErrorHandler((error, _request, reply) => reply.code(503).send(String(error)));
// oxlint-disable-next-line oxc/no-async-endpoint-handlers -- Fastify awaits its handlers.
app.post('/mcp', async (request) => {
  const secret = String(request.headers['x-api-key']);
  const caller = await find(createHash('sha256').update(secret).digest('hex'));
  if (!caller?.usable) throw new Error('not a usable key');
  await admit(caller.owner);
  const result = upstream === undefined ? ownResult : await resultFrom(upstream, request.body);
  return { jsonrpc: '2.0', id: (request.body as { id: number }).id, result };
});
await app.listen({ port: config.PORT, host: '127.0.0.1' });
process.on('SIGTERM', () => process.exit(0));
printMemoryAtSignals();
console.log('ready');
