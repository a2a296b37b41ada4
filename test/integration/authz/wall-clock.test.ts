import { expect, onTestFinished, test, vi } from 'vitest';
import type { Engine } from '../../../src/authz/engine/client.ts';
import { createAuthority } from '../../support/worlds/authority.ts';
import type { Authority } from '../../support/worlds/authority.ts';
import { useAuthority } from './use-authority.ts';

const { deployment, authority } = await useAuthority();

async function authorityWith(change: (plain: Engine) => Partial<Engine>): Promise<Authority> {
  const wrap = (plain: Engine) => ({ ...plain, ...change(plain) });
  const wrapped = await createAuthority(deployment, { wrap });
  onTestFinished(() => wrapped.close());
  return wrapped;
}

/** Creates an authority whose first Write has an unknown outcome. */
const createLossyAuthority = () =>
  authorityWith((plain) => {
    let writes = 0;
    return {
      // Enough for a busy machine; each read of the clock jumps much further.
      deadlineMs: 2_000,
      write: async (delta) => (++writes === 1 ? 'unknown' : plain.write(delta)),
    };
  });
const createSilentAuthority = () => authorityWith(() => ({ write: async () => 'unknown' }));

/** Makes the wall clock jump by this many hours each time it is read. */
function jumpAtEachRead(hours: number): void {
  let now = Date.now();
  const clock = vi.spyOn(Date, 'now').mockImplementation(() => (now += hours * 3_600_000));
  onTestFinished(() => clock.mockRestore());
}

const decide = async ({ authz, caller }: Authority, account: string, key: string) =>
  authz.context(await caller(account, key));

test('a wall clock that jumps ahead does not shorten the time in which a change must be applied', async () => {
  const account = await authority.addAccount();
  const applying = await createLossyAuthority();

  jumpAtEachRead(1);
  const key = await applying.addKey(account);

  const { scopes } = await authority.caller(account, key);
  expect(scopes.map(({ applied, revision }) => revision - applied)).toEqual([0]);
});

test('a wall clock that jumps ahead does not shorten how long a decision waits for a change', async () => {
  const account = await authority.addAccount();
  const key = await (await createSilentAuthority()).addKey(account);
  const deciding = await createLossyAuthority();

  jumpAtEachRead(1);

  expect((await decide(deciding, account, key)).connected).toBe(true);
});

test('a wall clock that jumps back does not prolong the wait for a change or a decision', async () => {
  const account = await authority.addAccount();
  const silent = await createSilentAuthority();

  jumpAtEachRead(-1);
  const key = await silent.addKey(account);

  await expect(decide(silent, account, key)).rejects.toMatchObject({ kind: 'unavailable' });
});
