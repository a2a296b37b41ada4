import { expect, test } from 'vitest';
import { askAs } from '../../support/people/organizations.ts';
import { useTeams } from '../../support/worlds/use-teams.ts';
import { create } from './content-items.ts';

const teams = await useTeams();

interface Shown {
  id: string;
  qualified_name: string;
  warnings: { message: string; detail: { pointer: string; tool?: object } }[];
}

test('a tool’s name is too long for model APIs if it is with the prefix of its space', async () => {
  const { id, owner, path } = await teams.organization();
  const named = async (name: string, space: string) =>
    (await create(owner, space, 'custom-tools', { name })).body as unknown as Shown;
  const longest = 'n'.repeat(64);

  const ofTeam = await named(longest, path);
  const ofMember = await named(longest, `/api/organizations/${id}/me`);
  const ofCatalog = await named(longest, `/api/organizations/${id}`);
  const short = await named('n'.repeat(60), `/api/organizations/${id}/me`);

  for (const { qualified_name, warnings } of [ofTeam, ofMember]) {
    const [first, ...rest] = warnings;
    expect([first?.detail, rest]).toEqual([{ pointer: '/name' }, []]);
    expect(first?.message).toContain(`shorten it by ${qualified_name.length - 64}.`);
  }
  expect([ofCatalog.warnings, short.warnings]).toEqual([[], []]);

  const body = { name: 'k', mcp_capabilities: ['tools'], org_scope: id };
  const preview = await askAs<Shown>(owner, { path: '/api/keys/preview', body });
  const { qualified_name: name } = ofMember;
  expect(preview.body.warnings.map(({ detail }) => detail)).toContainEqual({
    pointer: '/name',
    tool: { id: ofMember.id, name },
  });
  const promoted = await askAs<Shown>(owner, {
    method: 'POST',
    path: `${path}/custom-tools/${(await named('m'.repeat(64), path)).id}/promote`,
  });
  expect([promoted.status, promoted.body.warnings]).toEqual([200, []]);
});
