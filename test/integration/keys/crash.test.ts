import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { createAppliers } from '../../../src/authz/changes/apply.ts';
import { createEngine } from '../../../src/authz/engine/client.ts';
import { createLog } from '../../../src/platform/observability/log.ts';
import { PageQuery } from '../../../src/platform/http/pages.ts';
import { createDeployment } from '../../support/servers/deployment.ts';
import type { KeyScenario } from '../../support/people/keyring-child.ts';
import { actor, createKeyring } from '../../support/people/keyring.ts';
import { closeAfterTests } from '../../support/worlds/close-after-tests.ts';

const CHILD = fileURLToPath(new URL('../../support/people/keyring-child.ts', import.meta.url));

const deployment = await createDeployment();
const ring = await closeAfterTests(createKeyring(deployment));

async function crash(scenario: Omit<KeyScenario, 'deployment'>): Promise<void> {
  const KEY_SCENARIO = JSON.stringify({ deployment, ...scenario });
  const child = spawn(process.execPath, [CHILD], {
    env: { ...process.env, KEY_SCENARIO, NODE_OPTIONS: '' },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const [, signal] = await once(child, 'exit');
  expect(signal).toBe('SIGKILL');
}

const list = async (account: string) =>
  (await ring.keys.list(await ring.session(account), PageQuery.parse({}))).data;

test('killing the process before the commit leaves no key and the name free (rel:K14)', async () => {
  const account = await ring.addAccount();

  await crash({ account, name: 'bot', step: 'before the commit' });

  expect(await list(account)).toEqual([]);
  await ring.addKey(account, { name: 'bot' });
});

test.each(['after the commit', 'before the answer'] as const)(
  'killing the process %s leaves a key that is listed, keeps its name and can be revoked (rel:K14)',
  async (step) => {
    const account = await ring.addAccount();

    await crash({ account, name: 'bot', step });

    await applyPending(account);
    const [key, ...others] = await list(account);
    expect([key!.name, others]).toEqual(['bot', []]);
    await expect(ring.addKey(account, { name: 'bot' })).rejects.toMatchObject({ kind: 'conflict' });
    await ring.keys.revoke(await ring.session(account), key!.id, actor);
    expect(await list(account)).toEqual([]);
  },
);

/** Applies pending changes, as another instance's worker would within a second. */
async function applyPending(account: string): Promise<void> {
  const { modelId } = ring.authz;
  const engine = createEngine({ ...deployment.openfga, modelId });
  const appliers = createAppliers({ database: ring.database, engine, log: createLog('silent') });
  expect(await appliers.apply({ kind: 'account', id: account }, 5_000)).toBe(true);
}
