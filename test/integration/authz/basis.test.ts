import { expect, test, vi } from 'vitest';
import { ConcurrentUpdate } from '../../../src/authz/authz.ts';
import { readScopes } from '../../../src/authz/changes/store.ts';
import type { ScopeRef, ScopeState } from '../../../src/caller/scope.ts';
import { newId } from '../../../src/platform/ids.ts';
import { actor, createAuthority } from '../../support/worlds/authority.ts';
import { useAuthority } from './use-authority.ts';

const { deployment, authority } = await useAuthority();
const { authz, database } = authority;

/** A change of these scopes that does nothing, decided on the given basis. */
const changeOf = (
  writes: readonly [ScopeRef, ...ScopeRef[]],
  basis: readonly ScopeState[] | null,
) => ({
  ...{ actor, reason: 'key.update' as const, targets: [], writes, basis },
  work: async () => {},
});

test('a change whose basis was deleted fails with ConcurrentUpdate and can be retried', async () => {
  const id = await authority.addAccount();
  const account = { kind: 'account', id } as const;
  const [state] = await readScopes(database.pool, [account]);
  const deleted = { ...state!, kind: 'membership' as const, id: newId() };

  for (const writes of [account, deleted]) {
    const fields = changeOf([writes], [state!, deleted]);
    await expect(authz.change({ ...fields, objects: [] })).rejects.toBeInstanceOf(ConcurrentUpdate);
    await expect(authz.editContent(fields)).rejects.toBeInstanceOf(ConcurrentUpdate);
  }
  expect(await readScopes(database.pool, [account, deleted])).toEqual([state]);
});

test('changing a scope that was never created throws, unless the change creates it', async () => {
  const scope = { kind: 'service', id: newId(), organization_id: newId() } as const;

  for (const basis of [[], null]) {
    const fields = { ...changeOf([scope], basis), objects: [] };
    await expect(authz.change(fields)).rejects.toThrow(/service:.* must exist/);
    expect(await readScopes(database.pool, [scope])).toEqual([]);
  }
  await authz.change({ ...changeOf([scope], null), objects: [], creates: [scope] });

  expect(await readScopes(database.pool, [scope])).toMatchObject([{ revision: 1, applied: 1 }]);
});

test('a change first applies pending changes of the scopes it writes, and is refused if it cannot', async () => {
  const silent = await createAuthority(deployment, {
    wrap: (engine) => ({ ...engine, write: async () => 'unknown' as const }),
  });
  const id = await authority.addAccount();
  const account = { kind: 'account', id } as const;
  await silent.addKey(id);

  const refused = silent.authz.change({ ...changeOf([account], []), objects: [] });
  await expect(refused).rejects.toMatchObject({ kind: 'unavailable' });
  const before = await readScopes(database.pool, [account]);
  await vi.waitFor(() => authz.editContent(changeOf([account], [])), 10_000);
  const after = await readScopes(database.pool, [account]);

  await silent.close();
  expect(before).toMatchObject([{ revision: 2, applied: 1, content: 0 }]);
  expect(after).toMatchObject([{ revision: 2, applied: 2 }]);
  expect(after[0]!.content).toBeGreaterThan(0);
});
