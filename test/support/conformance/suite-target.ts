import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { freePort } from '../servers/free-port.ts';
import { createItem, deleteItem } from '../worlds/items.ts';
import { createKey, selectTools, signUp } from '../people/people.ts';
import type { SignedUp } from '../people/people.ts';
import { startRoundRobin } from '../servers/round-robin.ts';
import type { World } from '../worlds/world.ts';
import { changingPrompt, fixturePrompts } from './fixture-prompts.ts';
import { fixtureResources } from './fixture-resources.ts';
import { fixtureOverrides, fixtureToolNames } from './fixtures.ts';
import type { Change } from './fixtures.ts';
import { childEnvironment } from '../servers/child-environment.ts';

const CHILD = fileURLToPath(new URL('../peers/conformance-child.ts', import.meta.url));

export interface SuiteTarget {
  /** URL of the endpoint behind the balancer, for a suite that cannot authenticate. */
  url: string;
  close(): Promise<void>;
}

/** Starts two gateways behind a balancer that adds the fixture tenant's key (mcp.md 13). */
export async function startSuiteTarget(world: World): Promise<SuiteTarget> {
  const port = await freePort();
  const env = {
    PUBLIC_URL: `http://localhost:${port}`,
    PLANS_FILE: fileURLToPath(new URL('../worlds/generous-plans.json', import.meta.url)),
  };
  const setupGateway = await world.gateway({ env, overrides: fixtureOverrides(async () => {}) });
  const tenant = await signUp(world, setupGateway, 'fixture');
  await selectTools(tenant, fixtureToolNames);
  const { secret } = await createKey(tenant, {
    mcp_capabilities: ['tools', 'prompts', 'resources', 'agents'],
  });
  for (const prompt of fixturePrompts) await createItem(tenant, 'prompts', prompt);
  for (const resource of fixtureResources) await createItem(tenant, 'resources', resource);
  const change = createChanges(tenant);
  const instances = await Promise.all([
    startInstance({ ...world.env, ...env }, change),
    startInstance({ ...world.env, ...env }, change),
  ]);
  const balancer = await startRoundRobin({
    targets: instances.map(({ url }) => url),
    port,
    headers: { 'x-api-key': secret },
    alias: { outside: 'test://', inside: 'toolgate://me/' },
  });
  return {
    url: `${balancer.url}/mcp`,
    async close() {
      await balancer.close();
      await Promise.all(instances.map((instance) => instance.stop()));
    },
  };
}

/** Returns the function behind the suite's triggers; every second call undoes the change. */
function createChanges(tenant: SignedUp): (list: Change) => Promise<void> {
  let isLonger = false;
  let prompt: string | null = null;
  return async (list) => {
    if (list === 'tools') {
      isLonger = !isLonger;
      return selectTools(tenant, isLonger ? [...fixtureToolNames, 'uuid'] : fixtureToolNames);
    }
    prompt = await (prompt === null
      ? createItem(tenant, 'prompts', changingPrompt)
      : deleteItem(tenant, 'prompts', prompt));
  };
}

async function startInstance(env: Record<string, string>, change: (list: Change) => Promise<void>) {
  const port = await freePort();
  const child = fork(CHILD, { env: { ...childEnvironment, ...env, PORT: String(port) } });
  const ended = once(child, 'exit');
  const listening = new Promise<void>((resolve) => {
    child.on('message', (message: 'listening' | { id: number; list: Change }) => {
      if (message === 'listening') resolve();
      else void change(message.list).then(() => child.send(message.id));
    });
  });
  await Promise.race([
    listening,
    ended.then(([code]) => Promise.reject(new Error(`a gateway did not start: ${String(code)}`))),
  ]);
  return {
    url: `http://127.0.0.1:${port}`,
    async stop() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}
