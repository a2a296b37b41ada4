import { afterAll, expect, test } from 'vitest';
import { connect, disconnect } from '../../../src/connections.ts';
import { beginLook } from '../../../src/explorer/look.ts';
import type { Look } from '../../../src/explorer/look.ts';
import { createSnapshots } from '../../../src/explorer/reviews/snapshot.ts';
import { readMember } from '../../../src/organizations/organizations.ts';
import { createParts } from '../../../src/parts.ts';
import { askAs } from '../../support/people/organizations.ts';
import { useTeams } from '../../support/worlds/use-teams.ts';
import { createAcme } from './acme.ts';

const teams = await useTeams();
const connections = await connect(teams.gateway.config);
const { authz, credentials, visibility, workers } = createParts(
  teams.gateway.config,
  connections,
  {},
);
await authz.requireStore();
afterAll(async () => {
  await workers.close();
  await disconnect(connections);
});
const { database } = connections;
const progress = { report() {}, signal: new AbortController().signal };

/** Takes a snapshot; `meanwhile` is called before and after each decision about permissions. */
const snapshotWith = (meanwhile: () => Promise<void>) =>
  createSnapshots({
    database,
    async begin(organization_id) {
      const look = await beginLook(
        {
          ...{ database, authz, credentials, createVisibility: () => visibility },
          findMember: (key) => readMember(database.authPool, key),
        },
        organization_id,
      );
      const permissionsIn: Look['permissionsIn'] = async (...asked) => {
        await meanwhile();
        return look.permissionsIn(...asked);
      };
      return { ...look, permissionsIn };
    },
  });

test('what changes while a snapshot is taken is decided again, for everyone that it concerns', async () => {
  const { base, id, owner, mia, role, auditing, ada } = await createAcme(teams);
  const changes = [
    () =>
      askAs(owner, {
        ...{ method: 'PATCH', path: `${base}/members/${mia.account_id}` },
        body: { role_ids: [role.id, auditing.id] },
      }),
    () =>
      askAs(owner, {
        ...{ method: 'PATCH', path: `${base}/roles/${auditing.id}` },
        body: { permissions: ['can_view_organization_audit', 'can_view_organization_teams'] },
      }),
  ];
  let decisions = 0;
  const take = snapshotWith(async () => {
    decisions += 1;
    // Some were made before.
    if (decisions % 4 !== 0) return;
    const change = changes.shift();
    if (change) expect((await change()).status).toBe(200);
  });

  const { entries } = await take(id, progress);

  expect(changes).toEqual([]);
  const permissionsOf = (account_id: string) =>
    entries.find(({ row }) => row.kind === 'member' && row.id === account_id)!.held.permissions;
  expect(new Set(permissionsOf(mia.account_id))).toEqual(
    new Set([
      ...['can_view_organization_roles', 'can_view_organization_audit'],
      'can_view_organization_teams',
    ]),
  );
  expect(new Set(permissionsOf(ada.account_id))).toEqual(
    new Set(['can_view_organization_audit', 'can_view_organization_teams']),
  );
});

test('a snapshot of an organization that never stops changing is refused', async () => {
  const { base, id, owner, auditing } = await createAcme(teams);
  let renamed = 0;
  const take = snapshotWith(async () => {
    renamed += 1;
    const body = { permissions: renamed % 2 === 0 ? [] : ['can_view_organization_audit'] };
    await askAs(owner, { method: 'PATCH', path: `${base}/roles/${auditing.id}`, body });
  });

  await expect(take(id, progress)).rejects.toMatchObject({
    ...{ kind: 'unavailable', reason: 'the organization changed too often' },
  });
});
