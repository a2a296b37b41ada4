import { setTimeout } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import type { Tuple } from '../../../src/authz/authz.ts';
import { driftOf } from '../../support/worlds/authority.ts';
import type { Authority } from '../../support/worlds/authority.ts';
import { useAuthority } from './use-authority.ts';

const { authority } = await useAuthority();

/** Creates an authority whose account changes during this many of the first reads of a drift run. */
function createBusyAuthority(changedReads: number, account: string): Authority {
  let left = changedReads;
  onTestFinished(async () => void (await Promise.all(changes)));
  const changes: Promise<string>[] = [];
  const read = async (object: string): Promise<Tuple[]> => {
    const tuples = await authority.engine.read(object);
    if (object === `account:${account}` && left > 0) {
      left -= 1;
      // The last attempt locks the scope: the change waits, for less than the statement timeout.
      changes.push(authority.addKey(account));
      await Promise.race([changes.at(-1), setTimeout(500)]);
    }
    return tuples;
  };
  return { ...authority, engine: { ...authority.engine, read } };
}

async function addExtraTuple() {
  const account = await authority.addAccount();
  const key = await authority.addKey(account);
  const extraTuple = { user: `user:${key}`, relation: 'session', object: `account:${account}` };
  await authority.engine.write({ writes: [extraTuple], deletes: [] });
  return { account, extraTuple };
}

test('a scope that changes during the comparison is compared again', async () => {
  const { account, extraTuple } = await addExtraTuple();

  const found = await driftOf(createBusyAuthority(2, account), { repair: true });

  expect(found).toMatchObject([{ extra: [extraTuple], missing: [], repaired: true }]);
  expect(await driftOf(authority, { repair: false })).toEqual([]);
});

test('a scope that changes during every comparison is locked for the last one', async () => {
  const { account, extraTuple } = await addExtraTuple();

  const found = await driftOf(createBusyAuthority(9, account), { repair: true });

  expect(found).toMatchObject([{ extra: [extraTuple], missing: [], repaired: true }]);
});

test('a repair that seems to have failed is reported as repaired if the next comparison finds no drift', async () => {
  const { account, extraTuple } = await addExtraTuple();
  let isLost = false;
  const loseOutcome: typeof authority.engine.write = async (delta) => {
    if (isLost || !delta.deletes.some(({ user }) => user === extraTuple.user))
      return authority.engine.write(delta);
    // The write succeeds but is reported as invalid: only this run considers the scope stuck.
    isLost = true;
    await authority.engine.write(delta);
    return 'invalid';
  };
  const late = { ...authority, engine: { ...authority.engine, write: loseOutcome } };

  const found = await driftOf(late, { repair: true });

  expect(found).toMatchObject([{ scope: `account:${account}`, repaired: true }]);
  expect(await driftOf(authority, { repair: false })).toEqual([]);
});
