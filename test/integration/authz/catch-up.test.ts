import { setTimeout as pause } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { createCatchUp } from '../../../src/authz/changes/catch-up.ts';
import { sql } from '../../../src/platform/postgres/database.ts';
import { createAuthority } from '../../support/worlds/authority.ts';
import type { AuthorityOptions } from '../../support/worlds/authority.ts';
import { useAuthority } from './use-authority.ts';

const { deployment, authority } = await useAuthority();

/** Creates a gateway, and revokes a key while OpenFGA accepts no Write of that gateway. */
async function revokePending(wrap: AuthorityOptions['wrap'] & {}) {
  const account = await authority.addAccount();
  const key = await authority.addKey(account);
  const openfga = { isAccepting: false };
  const gateway = await createAuthority(deployment, {
    wrap: (engine) => ({
      ...wrap(engine),
      write: async (delta) => (openfga.isAccepting ? engine.write(delta) : 'unknown'),
    }),
  });
  onTestFinished(gateway.close);
  await gateway.removeKey(account, key);
  const caller = await gateway.caller(account, key);
  return { gateway, caller, openfga };
}

test('a decision waits for an earlier change that OpenFGA is slow to apply', async () => {
  const { gateway, caller, openfga } = await revokePending((engine) => engine);

  const deciding = gateway.authz.context(caller);
  await pause(1_500);
  openfga.isAccepting = true;

  expect((await deciding).connected).toBe(false);
});

test('a decision does not wait for OpenFGA while it is known to be unreachable', async () => {
  const { gateway, caller } = await revokePending((engine) => ({
    ...engine,
    isUnreachable: () => true,
  }));
  const startedAt = performance.now();

  await expect(gateway.authz.context(caller)).rejects.toMatchObject({ kind: 'unavailable' });

  expect(performance.now() - startedAt).toBeLessThan(2_000);
});

/** Creates a gateway with one dirty scope, whose changes are applied when `apply` is called. */
async function createWaiting(limits: { maxWaiting?: number; maxWaitingPerScope?: number }) {
  const { gateway, caller } = await revokePending((engine) => engine);
  const applying = Promise.withResolvers<boolean>();
  const catchUp = createCatchUp({
    ...{ database: gateway.database, engine: gateway.engine, ...limits },
    appliers: { apply: () => applying.promise },
  });
  async function apply(): Promise<void> {
    await gateway.database.pool.query(sql.unsafe`
      UPDATE authz_scope SET applied = revision WHERE applied < revision`);
    applying.resolve(true);
  }
  return { catchUp, scopes: caller.scopes, apply };
}

const refusal = {
  kind: 'unavailable',
  message: 'An earlier permission change has not taken effect yet. Try again shortly.',
};

test('only a limited number of decisions wait; others are refused at once', async () => {
  const { catchUp, scopes, apply } = await createWaiting({ maxWaiting: 2 });
  const waiting = [catchUp(scopes), catchUp(scopes)];

  await expect(catchUp(scopes)).rejects.toMatchObject(refusal);

  await apply();
  await Promise.all(waiting);
});

test('decisions that wait for one scope leave places to those that wait for another', async () => {
  const { catchUp, scopes, apply } = await createWaiting({ maxWaitingPerScope: 2 });
  const other = await revokePending((engine) => engine);
  const waiting = [catchUp(scopes), catchUp(scopes)];

  await expect(catchUp(scopes)).rejects.toMatchObject(refusal);
  const waitingForOther = catchUp(other.caller.scopes);
  await apply();
  await Promise.all([...waiting, waitingForOther]);

  await catchUp(scopes);
});
