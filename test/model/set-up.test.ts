import { expect, test } from 'vitest';
import { loadModel } from '../../src/authz/engine/model.ts';
import { platformTuples } from '../../src/authz/system-roles.ts';
import { splitDelta } from '../../src/authz/tuple.ts';
import { createServerStore } from './server-store.ts';

const model = await loadModel();

test('a new store has exactly 53, 52, 1 and 40 flags for the system roles, and the tuples of `everyone` (C4)', async () => {
  const store = await createServerStore(model, 'set-up');
  for (const { writes } of splitDelta({ deletes: [], writes: platformTuples() }))
    await store.write(writes);

  const tuples = await store.readAll();
  const counts = Map.groupBy(tuples, ({ object }) => object);

  expect(Object.fromEntries([...counts].map(([object, list]) => [object, list.length]))).toEqual({
    'everyone:live': 3,
    'org_role:owner': 53,
    'org_role:admin': 52,
    'org_role:member': 1,
    'team_role:team_admin': 40,
  });
});

test("the Owner has all permissions, an Admin all but the Owner's own, a Member profile_read (G3, C4)", async () => {
  const store = await createServerStore(model, 'set-up roles');
  const people = { olga: 'owner', adam: 'admin', mia: 'member' };
  for (const { writes } of splitDelta({ deletes: [], writes: platformTuples() }))
    await store.write(writes);
  await store.write(
    Object.entries(people).flatMap(([person, role]) => [
      { user: `user:${person}`, relation: 'session', object: `account:${person}` },
      { user: `account:${person}`, relation: 'person', object: `membership:acme.${person}` },
      { user: `org_role:${role}`, relation: 'role', object: `membership:acme.${person}` },
    ]),
  );
  const membership = model.type_definitions.find(({ type }) => type === 'membership');
  const relations = Object.keys(membership?.relations ?? {}).filter((name) =>
    /^can_|^role_mcp_/.test(name),
  );
  const credentialRelations = new Set([
    'can_connect',
    ...relations.filter((r) => r.startsWith('can_use')),
  ]);
  const ownerRelations = new Set(['can_delete', 'can_billing_update', 'can_ownership_transfer']);
  const holds = async (person: string) => {
    const questions = relations.map((relation) => ({
      user: `user:${person}`,
      relation,
      object: `membership:acme.${person}`,
    }));
    const answers = await store.ask(questions);
    return new Set(relations.filter((_, index) => answers[index]));
  };

  const all = new Set(relations).difference(credentialRelations);

  expect(await holds('olga')).toEqual(all);
  expect(await holds('adam')).toEqual(all.difference(ownerRelations));
  expect(await holds('mia')).toEqual(
    new Set(['can_see', 'can_scope_own_keys', 'can_profile_read']),
  );
});
