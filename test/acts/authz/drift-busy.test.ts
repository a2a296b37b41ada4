import { expect, test } from 'vitest';
import type { Tuple } from '../../../src/authz/authz.ts';
import { driftOf } from '../../support/worlds/authority.ts';
import type { Authority } from '../../support/worlds/authority.ts';
import { useAuthority } from './use-authority.ts';

const { authority } = await useAuthority();

/** The authority as a run of drift meets it whose account changes during each of its first looks. */
function changingDuring(looks: number, account: string): Authority {
  let left = looks;
  const read = async (object: string): Promise<Tuple[]> => {
    const tuples = await authority.engine.read(object);
    if (object === `account:${account}` && left > 0) {
      left -= 1;
      await authority.addKey(account);
    }
    return tuples;
  };
  return { ...authority, engine: { ...authority.engine, read } };
}

async function withExtra() {
  const account = await authority.addAccount();
  const key = await authority.addKey(account);
  const extraTuple = { user: `user:${key}`, relation: 'session', object: `account:${account}` };
  await authority.engine.write({ writes: [extraTuple], deletes: [] });
  return { account, extraTuple };
}

test('a scope that moves while it is looked at is looked at again', async () => {
  const { account, extraTuple } = await withExtra();

  const found = await driftOf(changingDuring(2, account), { repair: true });

  expect(found).toMatchObject([{ extra: [extraTuple], missing: [], repaired: true }]);
  expect(await driftOf(authority, { repair: false })).toEqual([]);
});

test('a scope that moves at every look is left to the next run', async () => {
  const { account, extraTuple } = await withExtra();

  expect(await driftOf(changingDuring(9, account), { repair: true })).toEqual([]);
  expect(await driftOf(authority, { repair: true })).toMatchObject([{ extra: [extraTuple] }]);
});
