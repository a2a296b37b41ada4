import { expect, test } from 'vitest';
import { askAs } from '../../support/people/organizations.ts';
import { useTeams } from '../../support/worlds/use-teams.ts';
import { scopedKeys } from './scoped-keys.ts';

const teams = await useTeams();

const { create } = scopedKeys(() => teams.otherGateway);

interface Listed {
  data: { id: string; teams: { resource_policy: { patterns: string[] } }[] }[];
  next_cursor: string | null;
}

test('a page of keys ends after 4 MB of their teams’ policies, and the next page continues (K1)', async () => {
  const { owner, id } = await teams.organization();
  const path = `/api/organizations/${id}/keys`;
  const created: string[] = [];
  for (let n = 0; n < 4; n += 1) created.push((await create(owner, {}, path)).body.id);
  const patterns = Array.from({ length: 256 }, (_, n) => `${n}/`.padEnd(512, 'x'));
  // Inserted directly; only their policies matter here.
  await teams.world.query(
    `INSERT INTO team (id, organization_id, name, title, description)
     SELECT gen_random_uuid(), $1, 'team_' || n, '', '' FROM generate_series(1, 7) n`,
    [id],
  );
  await teams.world.query('UPDATE team SET resource_policy = $2 WHERE organization_id = $1', [
    id,
    JSON.stringify({ mode: 'whitelist', patterns }),
  ]);

  const pages: Listed[] = [];
  for (let cursor: string | null = ''; cursor !== null; cursor = pages.at(-1)!.next_cursor) {
    const query = cursor === '' ? '' : `&cursor=${cursor}`;
    pages.push((await askAs<Listed>(owner, { path: `${path}?limit=200${query}` })).body);
  }

  expect(pages.map(({ data }) => data.length)).toEqual([3, 1]);
  const listed = pages.flatMap(({ data }) => data);
  expect(listed.map(({ id: key }) => key)).toEqual(created.toReversed());
  for (const key of listed)
    expect(key.teams.map((team) => team.resource_policy.patterns.length)).toEqual(
      Array.from({ length: 8 }, () => 256),
    );
});
