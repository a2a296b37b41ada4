// Creates one key and kills itself with SIGKILL at the given step; run only by crash tests.
import type { Deployment } from '../servers/deployment.ts';
import { createKeyring } from './keyring.ts';

export interface KeyScenario {
  deployment: Deployment;
  account: string;
  name: string;
  step: 'before the commit' | 'after the commit' | 'before the answer';
}

async function runScenario({ deployment, account, name, step }: KeyScenario): Promise<void> {
  const crashAt = (reached: KeyScenario['step']) => {
    if (reached === step) process.kill(process.pid, 'SIGKILL');
  };
  const ring = await createKeyring(deployment, { onStep: crashAt });
  await ring.addKey(account, { name });
  crashAt('before the answer');
}

if (process.env['KEY_SCENARIO'])
  await runScenario(JSON.parse(process.env['KEY_SCENARIO']) as KeyScenario);
