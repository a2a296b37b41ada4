import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { createAppliers } from '../../../../src/authz/changes/apply.ts';
import { createEngine } from '../../../../src/authz/engine/client.ts';
import { createLog } from '../../../../src/platform/observability/log.ts';
import { createDeployment } from '../../../support/servers/deployment.ts';
import type { DeletionScenario } from '../../../support/worlds/deletion-child.ts';
import { createKeyring } from '../../../support/people/keyring.ts';
import { closeAfterTests } from '../../../support/worlds/close-after-tests.ts';

const CHILD = fileURLToPath(new URL('../../../support/worlds/deletion-child.ts', import.meta.url));

const deployment = await createDeployment();
const ring = await closeAfterTests(createKeyring(deployment));
const engine = createEngine({ ...deployment.openfga, modelId: ring.authz.modelId });

async function crash(scenario: Omit<DeletionScenario, 'deployment'>): Promise<void> {
  const DELETION_SCENARIO = JSON.stringify({ deployment, ...scenario });
  const child = spawn(process.execPath, [CHILD], {
    env: { ...process.env, DELETION_SCENARIO, NODE_OPTIONS: '' },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const [, signal] = await once(child, 'exit');
  expect(signal).toBe('SIGKILL');
}

/** Applies pending changes, then counts the rows and tuples of an account. */
async function remainingRows(account: string) {
  const appliers = createAppliers({ database: ring.database, engine, log: createLog('silent') });
  expect(await appliers.apply({ kind: 'account', id: account }, 5_000)).toBe(true);
  const { rows } = await ring.database.authPool.query(
    `SELECT (SELECT count(*) FROM account WHERE id = $1) AS accounts,
      (SELECT count(*) FROM api_key WHERE account_id = $1) AS keys,
      (SELECT count(*) FROM tool_selection WHERE space_id = $1) AS tools`,
    [account],
  );
  return { ...rows[0], tuples: (await engine.read(`account:${account}`)).length };
}

async function someAccount(): Promise<string> {
  const account = await ring.addAccount();
  await ring.addKey(account, { mcp_capabilities: ['tools'] });
  await ring.addKey(account);
  return account;
}

test('killing the process before the commit leaves the account complete', async () => {
  const account = await someAccount();
  const before = await remainingRows(account);

  await crash({ account, step: 'before the commit' });

  expect(before).toMatchObject({ accounts: 1, keys: 2 });
  expect(await remainingRows(account)).toEqual(before);
});

test.each(['after the commit', 'before the answer'] as const)(
  'killing the process %s leaves no rows of the account once another instance has applied the change',
  async (step) => {
    const account = await someAccount();

    await crash({ account, step });

    expect(await remainingRows(account)).toEqual({ accounts: 0, keys: 0, tools: 0, tuples: 0 });
  },
);
