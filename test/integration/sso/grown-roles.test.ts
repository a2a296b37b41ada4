import { expect, test } from 'vitest';
import { createAuthenticator } from '../../support/people/authenticator.ts';
import { addPasskey, passkeyOptions, signInByPasskey } from '../../support/people/factors.ts';
import { createRole } from '../../support/people/organizations.ts';
import { createSsoWorld } from '../../support/people/sso.ts';
import type { SsoWorld } from '../../support/people/sso.ts';
import { createTeam, createTeamRole } from '../../support/people/teams.ts';
import { profileOf } from '../../support/people/third-party.ts';
import { closeAfterTests } from '../../support/worlds/close-after-tests.ts';

const sso = await closeAfterTests(createSsoWorld());

type Organization = Awaited<ReturnType<SsoWorld['organization']>>;
type Connection = Awaited<ReturnType<Organization['connect']>>;
const LITTLE = { permissions: ['can_view_organization'], capabilities: ['tools'] };

/** Creates a connection that gives a role and a seat with a role; an Admin configured it or not. */
async function giving(configuredBy: 'admin' | 'configurer') {
  const acme = await sso.organization();
  const { owner, id } = acme;
  const by = configuredBy === 'admin' ? owner : await acme.addConfigurer();
  const connection = await acme.connect(by);
  const role = await createRole(owner, id, { name: 'Staff', ...LITTLE });
  const team = await createTeam(owner, id, 'red');
  const teamRoles = `/api/organizations/${id}/team-roles`;
  const teamRole = await createTeamRole(owner, teamRoles, { name: 'Red', capabilities: ['tools'] });
  const body = { role_ids: [role.id], teams: [{ team_id: team.id, role_ids: [teamRole.id] }] };
  await sso.require(owner, { method: 'PATCH', path: connection.path, body });
  return {
    acme,
    connection,
    role: `/api/organizations/${id}/roles/${role.id}`,
    teamRole: `${teamRoles}/${teamRole.id}`,
  };
}
type Giving = Awaited<ReturnType<typeof giving>>;

const edit = ({ acme }: Giving, path: string, body: object) =>
  sso.require(acme.owner, { method: 'PATCH', path, body });
const replace = ({ acme }: Giving, path: string, { id }: { id: string }) =>
  sso.require(acme.owner, { method: 'DELETE', path: `${path}?replace_with=${id}` });
const createBig = ({ acme: { owner, id } }: Giving, more: object) =>
  createRole(owner, id, { name: 'Big', ...LITTLE, ...more });
const createBigTeamRole = ({ acme: { owner, id } }: Giving, more: object) =>
  createTeamRole(owner, `/api/organizations/${id}/team-roles`, { name: 'Big', ...more });

/** Signs in as a new person and leaves a passkey in the account. */
async function enter({ acme, connection }: Giving) {
  const claims = acme.someone();
  const { visitor, step } = await connection.signIn(claims);
  expect(step.location).toBe(sso.home);
  const bearer = { authorization: `Bearer ${visitor.jar.get('session')!.value}` };
  const authenticator = createAuthenticator(sso.gateway.config.PUBLIC_URL);
  await addPasskey({ person: visitor.person, bearer }, authenticator);
  return {
    claims,
    /** Returns what still gives access: the provider, the session, the passkey. */
    async access() {
      const again = await connection.signIn(claims);
      const { token, options } = await passkeyOptions(sso.gateway);
      const passkey = { token, response: authenticator.get(options) };
      return {
        provider: again.step.location,
        session: (await profileOf(visitor)).status,
        passkey: (await signInByPasskey(sso.gateway, passkey)).status,
      };
    },
  };
}

const given = async ({ acme }: Giving, { id }: Connection) => {
  const [row] = (
    await sso.require<{
      data: { id: string; role_ids: string[]; teams: { role_ids: string[] }[] }[];
    }>(acme.owner, { method: 'GET', path: `${acme.path}/connections` })
  ).data.filter((one) => one.id === id);
  return [row!.role_ids.length, row!.teams[0]!.role_ids.length];
};

const MORE = { permissions: ['can_view_organization', 'can_update_organization_members'] };
const all = { capabilities: ['tools', 'prompts'] };

const growths: [what: string, left: [number, number], grow: (at: Giving) => Promise<unknown>][] = [
  ['a role gets a permission', [0, 1], (at) => edit(at, at.role, MORE)],
  ['a role gets a capability', [0, 1], (at) => edit(at, at.role, all)],
  ['a team role gets a capability', [1, 0], (at) => edit(at, at.teamRole, all)],
  [
    'a role is replaced by one that contains more',
    [0, 1],
    async (at) => replace(at, at.role, await createBig(at, MORE)),
  ],
  [
    'a team role is replaced by one that contains more',
    [1, 0],
    async (at) => replace(at, at.teamRole, await createBigTeamRole(at, all)),
  ],
  [
    'the role that replaced theirs gets a permission',
    [0, 1],
    async (at) => {
      const next = await createBig(at, {});
      await replace(at, at.role, next);
      await edit(at, at.role.replace(/[^/]+$/, next.id), MORE);
    },
  ],
];

test.each(growths)(
  'when %s, a connection that no Admin configured does not give it any more, and what it left in accounts that have it ends',
  async (_, left, grow) => {
    const at = await giving('configurer');
    const { access } = await enter(at);

    await grow(at);

    expect(await access()).toEqual({
      provider: sso.refused('account_not_linked'),
      session: 401,
      passkey: 401,
    });
    expect(await given(at, at.connection)).toEqual(left);
    expect((await at.connection.signIn(at.acme.someone())).step.location).toBe(sso.home);
  },
);

const KEPT = { provider: '', session: 200, passkey: 200 };

test('an account that has no role which contains more stays linked, also through a connection that no Admin configured', async () => {
  const at = await giving('configurer');
  const { access } = await enter(at);
  const other = await createBig(at, {});

  await edit(at, at.role.replace(/[^/]+$/, other.id), MORE);
  await edit(at, at.role, { name: 'Crew', capabilities: [] });
  await replace(at, at.teamRole, await createBigTeamRole(at, { capabilities: [] }));

  expect(await access()).toEqual({ ...KEPT, provider: sso.home });
  expect(await given(at, at.connection)).toEqual([1, 1]);
});

test('a connection that an Admin configured keeps the role that contains more, and its links', async () => {
  const at = await giving('admin');
  const { access } = await enter(at);

  await edit(at, at.role, MORE);
  await replace(at, at.teamRole, await createBigTeamRole(at, all));

  expect(await access()).toEqual({ ...KEPT, provider: sso.home });
  expect(await given(at, at.connection)).toEqual([1, 1]);
});
