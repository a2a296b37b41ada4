// Runs a gateway with the fixtures in its own process; the parent acts as the tenant (mcp.md 13).
import { readFileSync } from 'node:fs';
import process from 'node:process';
import { loadConfig } from '../../../src/platform/config/config.ts';
import { createService } from '../../../src/service.ts';
import { fixtureOverrides } from '../conformance/fixtures.ts';
import type { Change } from '../conformance/fixtures.ts';

let lastId = 0;

/** Requests the change from the parent, and resolves once the parent has made it. */
const change = (list: Change) =>
  new Promise<void>((resolve) => {
    const id = (lastId += 1);
    const onReply = (done: unknown) => {
      if (done !== id) return;
      process.off('message', onReply);
      resolve();
    };
    process.on('message', onReply);
    process.send!({ id, list });
  });

if (process.send !== undefined) {
  const config = loadConfig(process.env, (path) => readFileSync(path, 'utf8'));
  const service = await createService(config, fixtureOverrides(change));
  await service.listen();
  process.on('disconnect', () => process.exit(1));
  process.once('SIGTERM', () => void service.close().then(() => process.exit(0)));
  process.send('listening');
}
