// Makes one change and kills itself with SIGKILL at the given step; run only by crash tests.
import { createAuthority } from './authority.ts';
import type { Deployment } from '../servers/deployment.ts';

export const crashSteps = [
  'before the rows',
  'before the commit',
  'after the commit',
  'after the Write',
  'after applied',
] as const;
export type CrashStep = (typeof crashSteps)[number];

interface Scenario {
  deployment: Deployment;
  account: string;
  /** The key to remove, or null to add one. */
  key: string | null;
  step: CrashStep;
}

async function runScenario({ deployment, account, key, step }: Scenario): Promise<void> {
  const crashAt = (reached: CrashStep) => {
    if (reached === step) process.kill(process.pid, 'SIGKILL');
  };
  const authority = await createAuthority(deployment, {
    onWork: (when) => crashAt(when === 'start' ? 'before the rows' : 'before the commit'),
    wrap: (engine) => ({
      ...engine,
      async write(delta) {
        crashAt('after the commit');
        const outcome = await engine.write(delta);
        crashAt('after the Write');
        return outcome;
      },
    }),
  });
  await (key === null ? authority.addKey(account) : authority.removeKey(account, key));
  crashAt('after applied');
}

if (process.env['CRASH_SCENARIO'])
  await runScenario(JSON.parse(process.env['CRASH_SCENARIO']) as Scenario);
