// The floor with state: the same POST, with the grouped authentication query and the admission
// script, and nothing of MCP or of authorization.
import { readFileSync } from 'node:fs';
import process from 'node:process';
import Fastify from 'fastify';
import { createAuthenticator } from '../../../src/keys/authenticate.ts';
import { readCredentials } from '../../../src/keys/store.ts';
import { createLimits } from '../../../src/limits/limits.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import { loadConfig } from '../../../src/platform/config.ts';
import { createDatabase } from '../../../src/platform/database.ts';
import { newId } from '../../../src/platform/ids.ts';
import { createLog } from '../../../src/platform/log.ts';
import { createRedis } from '../../../src/platform/redis.ts';

const config = loadConfig(process.env, (path) => readFileSync(path, 'utf8'));
const log = createLog('silent');
const onIdleError = () => {};
const database = await createDatabase({ url: config.DATABASE_URL, onIdleError });
const redis = createRedis(config.REDIS_URL, config.REDIS_PREFIX, onIdleError);
const limits = createLimits({ redis, database, plans: config.plans, log, clock: systemClock });
const authenticate = createAuthenticator({
  read: (hashes) => readCredentials(database.hot, hashes),
  used: () => {},
});
const result = {
  content: [{ type: 'text', text: '{"ok":true}' }],
  structuredContent: { ok: true },
};

const app = Fastify();
// oxlint-disable-next-line oxc/no-async-endpoint-handlers -- Fastify awaits its handlers.
app.post('/mcp', async (request) => {
  const caller = await authenticate(String(request.headers['x-api-key']));
  await limits.admit({ owner: caller.owner, kind: 'tool_call', call_id: newId() });
  return { jsonrpc: '2.0', id: (request.body as { id: number }).id, result };
});
await app.listen({ port: config.PORT, host: '127.0.0.1' });
process.on('SIGTERM', () => process.exit(0));
console.log('ready');
