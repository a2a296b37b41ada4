// npm run bench: the gateway beside other servers, in one run on one machine, as ratios.
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { bringUp } from '../../src/stack/stack.ts';
import { createDeploymentOn } from '../support/deployment-on.ts';
import { freePort } from '../support/free-port.ts';
import { createMailbox } from '../support/mailbox.ts';
import { startPeer } from './process.ts';
import { isMet, throughputTargets } from './targets.ts';
import type { Target } from './targets.ts';
import { makeKeys, measurePeers, measureToolgate } from './throughput.ts';
import type { Row } from './throughput.ts';

const IDLE_LIMIT_MB = 150;

const stack = await bringUp({
  env: process.env,
  dataDir: mkdtempSync(join(tmpdir(), 'toolgate-bench-')),
  purpose: 'test',
  progress: (line) => console.log(line),
});
const mailbox = await createMailbox();
try {
  process.exitCode = (await runBench()) ? 0 : 1;
} finally {
  await mailbox.close();
  await stack.stop();
}

async function runBench(): Promise<boolean> {
  const deployment = await createDeploymentOn({
    postgresUrl: stack.databaseUrl,
    redisUrl: stack.redisUrl,
    openfgaApiUrl: stack.openfgaApiUrl,
    openfgaApiToken: stack.openfgaApiToken ?? '',
  });
  const port = await freePort();
  const env = {
    ...deployment.env,
    SMTP_URL: mailbox.url,
    SECRETS_KEY: 'bench-secret-root-'.repeat(3),
    LOG_LEVEL: 'error',
    PLANS_FILE: fileURLToPath(new URL('../support/generous-plans.json', import.meta.url)),
    TRUSTED_PROXIES: '127.0.0.0/8',
  };
  const gateway = await startPeer('toolgate', { ...env, PORT: String(port) });
  const idleMb = gateway.residentBytes() / 1e6;
  const keys = await makeKeys(mailbox, `http://localhost:${port}`);
  const own = await measureToolgate(gateway, port, keys);
  await gateway.stop();
  const rows = [...own, ...(await measurePeers(env, freePort, keys.one))];
  const targets: Target[] = [
    ...throughputTargets(rows),
    { name: 'idle gateway: MB resident', value: idleMb, limit: IDLE_LIMIT_MB, kind: 'at most' },
  ];
  printRows(rows);
  printTargets(targets);
  return targets.every(isMet);
}

function printRows(rows: readonly Row[]): void {
  console.log('\n                   req/s   CPU µs/req    p50 ms    p99 ms  errors');
  for (const { name, perSecond, cpuMicros, p50Ms, p99Ms, errors } of rows)
    console.log(
      name.padEnd(16) +
        perSecond.toFixed(0).padStart(8) +
        cpuMicros.toFixed(1).padStart(13) +
        p50Ms.toFixed(2).padStart(10) +
        p99Ms.toFixed(2).padStart(10) +
        String(errors).padStart(8),
    );
}

function printTargets(targets: readonly Target[]): void {
  console.log('');
  for (const target of targets)
    console.log(
      `${isMet(target) ? 'met ' : 'MISS'}  ${target.name.padEnd(40)}` +
        `${target.value.toFixed(2).padStart(8)}  ${target.kind} ${target.limit}`,
    );
}
