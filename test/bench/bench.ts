// npm run bench: compares the gateway with other servers on one machine in one run, as ratios.
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startStack } from '../../stack/stack.ts';
import { createDeploymentOn } from '../support/servers/deployment-on.ts';
import type { Deployment } from '../support/servers/deployment-on.ts';
import { freePort } from '../support/servers/free-port.ts';
import { createMailbox } from '../support/people/mailbox.ts';
import { fillStore } from './big-store.ts';
import { measureCold } from './cold.ts';
import { measureDashboard } from './dashboard.ts';
import { measureExplorer } from './explorer.ts';
import { measureFirstCall, measureFirstStart } from './first-call.ts';
import { measureIdleSessions } from './idle-sessions.ts';
import { floorRequests, measureMemory, mixedRequests, printBurst } from './memory.ts';
import type { Sampled } from './memory.ts';
import { modern } from './messages.ts';
import { modelIdOf } from './model-id.ts';
import { oauthContenders, oauthTargets } from './oauth/oauth.ts';
import { measureOrganizations } from './organizations/organizations.ts';
import { startPeer } from './process.ts';
import { measureStreams } from './streams.ts';
import { bigStoreTarget, isMet, printTargets, throughputTargets } from './targets.ts';
import type { Target } from './targets.ts';
import { makeTenants } from './tenants.ts';
import type { Tenants } from './tenants.ts';
import {
  callContenders,
  makeKeyOfMany,
  otherContenders,
  startFloor,
  startPeers,
} from './throughput.ts';
import { measureToolSearch } from './tool-search.ts';
import { FULL, measureInTurns, printRows, SHORT } from './turns.ts';
import type { Contender, Row } from './turns.ts';
import { upstreamTargets } from './upstream/targets.ts';
import { upstreamContenders } from './upstream/upstream.ts';

// The flags of the image and of npm start (stack/run.mjs).
const SERVED_WITH = ['--max-semi-space-size=32', '--no-parallel-scavenge', '--expose-gc'];
const SERVED_IN = { MALLOC_ARENA_MAX: '2' };

// More rounds, since the difference to detect is 10 %.
const BIG = { ...FULL, rounds: 25 };
const FEW = { rounds: 3, warmRounds: 2 };

// `npm run bench -- throughput cold` runs only these parts; `short` runs only the calls, in few
// rounds; `organizations small` uses few rounds and small organizations, `upstream small` few rounds;
// `memory` takes 40 minutes and runs only if it is named.
const parts = process.argv.slice(2);
const isSelected = (part: string) => parts.length === 0 || parts.includes(part);

const stack = await startStack({
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
  const deployment = await newDeployment();
  const targets = [
    ...(parts.includes('short') ? await benchShort(deployment) : []),
    ...(parts.includes('memory') ? await benchMemory(deployment) : []),
    ...(isSelected('throughput') ? await benchThroughput(deployment) : []),
    ...(isSelected('big') ? await benchBig(deployment) : []),
    ...(isSelected('streams') ? await benchStreams(deployment) : []),
    ...(isSelected('cold') ? await benchCold(deployment) : []),
    ...(isSelected('oauth') ? await benchOAuth(deployment) : []),
    ...(isSelected('upstream') ? await benchUpstream(deployment) : []),
    ...(isSelected('organizations') ? await benchOrganizations() : []),
    ...(isSelected('explorer') ? await benchExplorer() : []),
    ...(isSelected('search') ? await measureToolSearch(() => startMeasured(deployment)) : []),
    ...(isSelected('dashboard') ? await measureDashboard(() => startMeasured(deployment)) : []),
    ...(isSelected('first-call') ? [await measureFirstCall()] : []),
    ...(isSelected('first-start') ? [await measureFirstStart()] : []),
  ];
  printTargets(targets);
  return targets.every(isMet);
}

function newDeployment(): Promise<Deployment> {
  return createDeploymentOn({
    postgresUrl: stack.databaseUrl,
    redisUrl: stack.redisUrl,
    openfgaApiUrl: stack.openfgaApiUrl,
    openfgaApiToken: stack.openfgaApiToken ?? '',
  });
}

function openfgaDatabaseUrl(): string {
  const url = new URL(stack.databaseUrl);
  url.pathname = '/openfga';
  return url.href;
}

function envOf(deployment: Deployment): Record<string, string> {
  return {
    ...deployment.env,
    SMTP_URL: mailbox.url,
    SECRETS_KEY: 'bench-secret-root-'.repeat(3),
    LOG_LEVEL: 'error',
    PLANS_FILE: fileURLToPath(new URL('../support/worlds/generous-plans.json', import.meta.url)),
    TRUSTED_PROXIES: '127.0.0.0/8',
    ...SERVED_IN,
  };
}

async function benchThroughput(deployment: Deployment): Promise<Target[]> {
  const port = await freePort();
  const env = envOf(deployment);
  const idleMb = await measureIdle({ ...env, PORT: String(port) });
  const gateway = await startPeer('toolgate', { ...env, PORT: String(port) }, SERVED_WITH);
  const tenants = await tenantsOn(deployment, port);
  const session = await measureIdleSessions(gateway, port, tenants.tenant);
  const many = await makeKeyOfMany(mailbox, `http://localhost:${port}`);
  const rows = await measureAndStop([
    ...(await callContenders(gateway, port, tenants)),
    ...(await otherContenders(gateway, port, tenants, many)),
    ...(await startFloor(env, freePort, tenants)),
    ...(await startPeers(env, freePort)),
  ]);
  return [
    ...throughputTargets(rows),
    { name: 'idle gateway: MiB resident', value: idleMb, limit: 150, kind: 'at most' },
    { name: 'idle session: KiB held', value: session, limit: 2, kind: 'at most' },
  ];
}

/** Measures only the calls and the floor. */
async function benchShort(deployment: Deployment): Promise<Target[]> {
  const port = await freePort();
  const env = envOf(deployment);
  const gateway = await startPeer('toolgate', { ...env, PORT: String(port) }, SERVED_WITH);
  const tenants = await tenantsOn(deployment, port);
  const contenders = [
    ...(await callContenders(gateway, port, tenants)),
    ...(await startFloor(env, freePort, tenants)),
  ];
  return throughputTargets(await measureAndStop(contenders, SHORT));
}

/** Compares a gateway as it is served with one that collects before each sample, and the floor. */
async function benchMemory(deployment: Deployment): Promise<Target[]> {
  const env = envOf(deployment);
  const start = async (name: 'toolgate' | 'floor') => {
    const port = await freePort();
    return { port, peer: await startPeer(name, { ...env, PORT: String(port) }, SERVED_WITH) };
  };
  const first = await start('toolgate');
  const tenants = await tenantsOn(deployment, first.port);
  const gateway = async (name: string, isCollected = false): Promise<Sampled> => {
    const { port, peer } = await start('toolgate');
    return { name, port, peer, isCollected, requests: await mixedRequests(port, tenants) };
  };
  const floor = async (): Promise<Sampled> => ({
    ...{ name: 'floor', isCollected: false, requests: floorRequests(tenants) },
    ...(await start('floor')),
  });
  await first.peer.stop();
  for (const burst of [await gateway('gateway'), await floor()]) {
    await printBurst(burst);
    await burst.peer.stop();
  }
  const sampled = [
    await gateway('gateway'),
    await gateway('gateway, collected', true),
    await floor(),
  ];
  const targets = await measureMemory(sampled);
  for (const { peer } of sampled) await peer.stop();
  return targets;
}

function tenantsOn(deployment: Deployment, port: number): Promise<Tenants> {
  return makeTenants(mailbox, `http://localhost:${port}`, deployment, openfgaDatabaseUrl());
}

async function measureAndStop(contenders: readonly Contender[], turns = FULL): Promise<Row[]> {
  const rows = await measureInTurns(contenders, turns);
  for (const peer of new Set(contenders.map((one) => one.peer))) await peer.stop();
  printRows(rows);
  return rows;
}

/** Compares a warm call in a small store with one in a store of 10⁵ keys and 10⁶ tuples more. */
async function benchBig(few: Deployment): Promise<Target[]> {
  const many = await newDeployment();
  await fillStore(many, openfgaDatabaseUrl());
  const contenders: Contender[] = [];
  for (const [name, deployment] of [
    ['call, few', few],
    ['call, many', many],
  ] as const) {
    const port = await freePort();
    const peer = await startPeer(
      'toolgate',
      { ...envOf(deployment), PORT: String(port) },
      SERVED_WITH,
    );
    const { owners } = await tenantsOn(deployment, port);
    contenders.push({
      ...{ name, peer, expecting: '"ok":true' },
      load: { port, requests: owners.map((key) => modern('tools/call', key)) },
    });
  }
  const rows = await measureAndStop(contenders, BIG);
  return [bigStoreTarget(rows[0]!, rows[1]!)];
}

/** Starts a gateway for each load, so that its memory includes only these streams. */
async function benchStreams(deployment: Deployment): Promise<Target[]> {
  const targets: Target[] = [];
  for (const load of ['owners', 'shared'] as const)
    for (const era of ['2026', '2025'] as const) {
      const port = await freePort();
      const env = { ...envOf(deployment), PORT: String(port) };
      const gateway = await startPeer('toolgate', env, SERVED_WITH);
      const tenants = await tenantsOn(deployment, port);
      targets.push(...(await measureStreams(era, load, { gateway, port, tenants })));
      await gateway.stop();
    }
  return targets;
}

/** Measures the gateway as deployed: the bench's own catalog of 1,000 tools would add memory. */
async function measureIdle(env: Record<string, string>): Promise<number> {
  const gateway = await startPeer('served', env, SERVED_WITH);
  await setTimeout(2_000);
  const bytes = gateway.residentBytes();
  await gateway.stop();
  return bytes / 2 ** 20;
}

async function benchCold(deployment: Deployment): Promise<Target[]> {
  const modelId = await modelIdOf(deployment);
  const { rows, targets } = await measureCold(deployment, modelId, openfgaDatabaseUrl());
  console.log('\ncold decision             p50 ms    p95 ms');
  for (const { name, p50Ms, p95Ms } of rows)
    console.log(name.padEnd(22) + p50Ms.toFixed(2).padStart(10) + p95Ms.toFixed(2).padStart(10));
  return targets;
}

async function benchOAuth(deployment: Deployment): Promise<Target[]> {
  const contenders = await oauthContenders(await startMeasured(deployment));
  return oauthTargets(await measureAndStop(contenders));
}

/** Measures calls of other servers' tools, next to a floor and a proxy that make the same calls. */
async function benchUpstream(deployment: Deployment): Promise<Target[]> {
  const on = await startMeasured(deployment, { OUTBOUND_ALLOW: '127.0.0.1' });
  const contenders = await upstreamContenders(on);
  return upstreamTargets(await measureAndStop(contenders, parts.includes('small') ? FEW : FULL));
}

/** Starts a gateway with an address of its own, as people use it. */
async function startMeasured(deployment: Deployment, more: Readonly<Record<string, string>> = {}) {
  const port = await freePort();
  const url = `http://localhost:${port}`;
  const env = { ...envOf(deployment), PORT: String(port), PUBLIC_URL: url, ...more };
  const gateway = await startPeer('toolgate', env, SERVED_WITH);
  const databases = { deployment, openfgaDatabaseUrl: openfgaDatabaseUrl() };
  return { gateway, env, port, url, mailbox, ...databases };
}

/** Starts a gateway of a separate deployment: large organizations must not affect other parts. */
async function startLarge() {
  const plans = new URL('organizations/plans.json', import.meta.url);
  return startMeasured(await newDeployment(), { PLANS_FILE: fileURLToPath(plans) });
}

async function benchOrganizations(): Promise<Target[]> {
  const on = await startLarge();
  const { rows, targets } = await measureOrganizations(on, { isSmall: parts.includes('small') });
  await on.gateway.stop();
  printRows(rows);
  return targets;
}

async function benchExplorer(): Promise<Target[]> {
  const on = await startLarge();
  const targets = await measureExplorer(on);
  await on.gateway.stop();
  return targets;
}
