import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { createAppliers } from '../../../src/authz/changes/apply.ts';
import { readScopes } from '../../../src/authz/changes/store.ts';
import { createLog } from '../../../src/platform/observability/log.ts';
import { driftOf } from '../../support/worlds/authority.ts';
import { crashSteps } from '../../support/worlds/crash-child.ts';
import type { CrashStep } from '../../support/worlds/crash-child.ts';
import { useAuthority } from './use-authority.ts';

const CHILD = fileURLToPath(new URL('../../support/worlds/crash-child.ts', import.meta.url));

const { deployment, authority } = await useAuthority();

async function crash(account: string, key: string | null, step: CrashStep): Promise<void> {
  const scenario = JSON.stringify({ deployment, account, key, step });
  const child = spawn(process.execPath, [CHILD], {
    env: { ...process.env, CRASH_SCENARIO: scenario, NODE_OPTIONS: '' },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const [, signal] = await once(child, 'exit');
  expect(signal).toBe('SIGKILL');
}

async function applyPending(account: string): Promise<void> {
  const { database, engine } = authority;
  const appliers = createAppliers({ database, engine, log: createLog('silent') });
  expect(await appliers.apply({ kind: 'account', id: account }, 5_000)).toBe(true);
}

test.for(crashSteps)(
  'killing the process %s of a grant leaves no drift and no partial key',
  async (step) => {
    const account = await authority.addAccount();

    await crash(account, null, step);
    await applyPending(account);

    const committed = !['before the rows', 'before the commit'].includes(step);
    const held = await authority.engine.read(`account:${account}`);
    expect(held).toHaveLength(committed ? 4 : 1);
    expect(await driftOf(authority, { repair: false })).toEqual([]);
  },
);

test.for(crashSteps)(
  'killing the process %s of a revocation never leaves access behind',
  async (step) => {
    const account = await authority.addAccount();
    const key = await authority.addKey(account);

    await crash(account, key, step);
    const caller = await authority.caller(account, key);
    const answer = await authority.authz.context(caller);

    const committed = !['before the rows', 'before the commit'].includes(step);
    expect(answer.connected).toBe(!committed);
    const [scope] = await readScopes(authority.database.pool, [{ kind: 'account', id: account }]);
    expect(scope?.applied).toBe(scope?.revision);
    expect(await driftOf(authority, { repair: false })).toEqual([]);
  },
);
