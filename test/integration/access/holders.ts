import {
  organizationPermissionByGrant,
  scopeClosure,
  teamPermissionByGrant,
} from '../../../src/authz/permissions.ts';
import { everyTeam, names, withImplied } from '../../support/access/permissions.ts';
import type { Acme } from './acme.ts';
import { CAPABILITIES } from '../organizations/union.ts';
import type { Caller, Team } from './matrix.ts';

type Key = Awaited<ReturnType<Acme['keyOf']>>;

/** A credential of each kind. */
export interface Kinds {
  /**
   * Each is decided differently: a session and one key by the role of their person, a person's key
   * and a key of the organization by their grants, tokens by their scopes.
   */
  main: Caller[];
  /** The same kinds of key with other teams, and of token with other scopes. */
  others: Caller[];
}

/** Creates one credential of each kind, and sets what they hold and carry. */
export async function createHolders(acme: Acme) {
  const { path, requireSuccess, people, roles, red, blue } = acme;
  const { owner, mia } = people;
  const grant = (permissions: readonly string[]) => ({
    grants: [{ scope: { type: 'org', org_id: acme.acme }, permissions }],
  });
  const everything = [...names.organization, ...names.team];

  const setRole = (permissions: readonly string[]) =>
    requireSuccess(owner, {
      method: 'PATCH',
      path: `${path}/roles/${roles.held}`,
      body: { permissions },
    });
  const setTeamRole = (permissions: readonly string[]) =>
    requireSuccess(owner, {
      method: 'PATCH',
      path: `${path}/team-roles/${roles.heldInTeam}`,
      body: { permissions },
    });

  // No one can grant what they do not have: the key is created while its person has everything.
  await setRole(names.organization);
  const capable = { mcp_capabilities: CAPABILITIES };
  const scope = { org_scope: acme.acme, ...capable };
  const keys = {
    holding: await acme.keyOf(mia, { ...scope, ...grant(everything) }),
    plain: await acme.keyOf(owner, grant([])),
    following: await acme.keyOf(owner, { ...scope, ...grant([]) }),
    bound: await acme.keyOf(owner, { ...scope, ...grant([]), team_ids: [red] }),
    elsewhere: await acme.keyOf(owner, { ...scope, ...grant([]), team_ids: [blue] }),
  };
  const services = {
    bound: await acme.organizationKey({ ...capable, ...grant([]), team_ids: [red] }),
    following: await acme.organizationKey({ ...capable, ...grant([]) }),
  };
  await setRole([]);
  const tokens = await createTokens(acme, everything);

  async function setGrants(permissions: readonly string[]) {
    const body = grant(permissions);
    for (const key of [keys.plain, keys.following, keys.bound, keys.elsewhere])
      await requireSuccess(owner, { method: 'PATCH', path: `/api/keys/${key.id}`, body });
    for (const { id } of Object.values(services))
      await requireSuccess(owner, { method: 'PATCH', path: `${path}/keys/${id}`, body });
  }

  /**
   * The credentials whose grant decides; the Owner, who holds everything, has a seat in each team.
   */
  function carrying(permissions: readonly string[]) {
    const organization = { held: 'all', carried: permissions } as const;
    const key = (name: string, { headers }: Key, teams: readonly Team[]): Caller => ({
      ...{ name, headers, person: 'owner', kind: 'key', personal: null, organization },
      ...{ teams, inTeam: teams.includes('red') },
    });
    const service = (...made: Parameters<typeof key>): Caller => ({
      ...key(...made),
      kind: 'organization-key',
    });
    return {
      plain: key('a personal key with a grant', keys.plain, []),
      following: key('a key that follows memberships', keys.following, ['red', 'blue']),
      bound: key('a key bound to the team', keys.bound, ['red']),
      elsewhere: key('a key bound to another team', keys.elsewhere, ['blue']),
      serviceBound: service('an organization’s key bound to the team', services.bound, ['red']),
      serviceFollowing: service(
        'an organization’s key that follows all teams',
        services.following,
        ['red', 'blue'],
      ),
    };
  }

  let isInTeam = false;
  async function join() {
    if (isInTeam) return;
    const body = { account_id: mia.account_id, role_ids: [roles.heldInTeam] };
    await requireSuccess(owner, { path: `${path}/teams/${red}/members`, body });
    isInTeam = true;
  }

  /** Returns the credentials that are limited by their person’s roles. */
  function holding(permissions: readonly string[]): Caller[] {
    const organization = { held: permissions, carried: 'all' } as const;
    const teams: readonly Team[] = isInTeam ? ['red'] : [];
    const caller = { person: 'mia', personal: null, organization, teams } as const;
    return [
      { ...caller, kind: 'session', name: 'a session', headers: mia.bearer, inTeam: isInTeam },
      { ...caller, kind: 'key', name: 'a key with every grant', ...keys.holding, inTeam: isInTeam },
    ];
  }

  async function kinds(permissions: readonly string[]): Promise<Kinds> {
    const { bound, serviceBound, ...others } = carrying(permissions);
    const { main, others: otherTokens } = await tokens.callers(permissions, isInTeam);
    return {
      main: [...holding(permissions), bound, serviceBound, ...main],
      others: [...Object.values(others), ...otherTokens],
    };
  }

  return {
    ...{ keys, services },
    /** Returns callers with these permissions only in the organization. */
    async inOrganization(permissions: readonly string[]): Promise<Kinds> {
      await setRole(permissions);
      await setGrants(permissions);
      return kinds(permissions);
    },
    /** Returns callers with these permissions only in the team. */
    async inTeam(permissions: readonly string[]): Promise<Kinds> {
      await join();
      await setTeamRole(permissions);
      await setGrants(permissions);
      return kinds(permissions);
    },
    /** Returns callers with every permission. */
    async withEverything(): Promise<Kinds> {
      await setRole(names.organization);
      await join();
      await setTeamRole(names.team);
      await setGrants(everything);
      return kinds(everything);
    },
  };
}
export type Holders = Awaited<ReturnType<typeof createHolders>>;

/** Returns the OAuth scopes with exactly these names in grants; one permission has none. */
const scopesOf = (permissions: readonly string[]): string[] =>
  permissions.flatMap(
    (name) => (organizationPermissionByGrant(name) ?? teamPermissionByGrant(name))!.scope ?? [],
  );

/**
 * Creates connections with every scope; each caller is a token with the capabilities and some
 * permissions, so that changing what it carries costs nothing.
 */
async function createTokens({ acme, oauth, people, red }: Acme, everything: readonly string[]) {
  const capable = CAPABILITIES.map((capability) => `mcp_${capability}`);
  const scopes = [...capable, ...scopesOf(everything)];
  const fields = { owner: { organization_id: acme }, scopes, team_ids: [red] };
  const client = await oauth.client(fields);
  const byOwner = await oauth.authorize(client, people.owner);
  const byMia = await oauth.authorize(client, people.mia);
  const machine = await oauth.machine(
    await oauth.client({ ...fields, grant_types: ['client_credentials'] }),
  );

  async function caller(
    name: string,
    id: string,
    carried: readonly string[],
    rest: Pick<Caller, 'kind' | 'person'> & { held: readonly string[] | 'all'; inTeam: boolean },
  ): Promise<Caller> {
    const { held, inTeam, ...who } = rest;
    const scope = scopeClosure([...capable, ...scopesOf(carried)]).join(' ');
    return {
      ...{ ...who, name, personal: null, organization: { held, carried } },
      ...{ inTeam, teams: inTeam ? ['red'] : [] },
      headers: { authorization: `Bearer ${await oauth.token(id, { scope })}` },
    };
  }

  return {
    /** Returns tokens with these scopes as `main`; the others have all scopes, or all but these. */
    async callers(permissions: readonly string[], isMiaInTeam: boolean): Promise<Kinds> {
      const without = everything.filter((name) =>
        withImplied([name]).isDisjointFrom(withImplied(permissions)),
      );
      const owner = { kind: 'connection', person: 'owner', held: 'all', inTeam: true } as const;
      const mia = { kind: 'connection', person: 'mia', held: permissions } as const;
      const alone = { ...owner, kind: 'machine' } as const;
      return {
        main: [
          await caller('a token', byOwner, permissions, owner),
          await caller('a machine’s token', machine, permissions, alone),
        ],
        others: [
          await caller('a token with all other scopes', byOwner, without, owner),
          await caller('a token with every scope', byMia, everything, {
            // A binding alone makes the connection of someone active who may write all teams.
            ...{ ...mia, inTeam: isMiaInTeam || permissions.includes(everyTeam) },
          }),
          await caller('a machine’s token with all other scopes', machine, without, alone),
        ],
      };
    },
  };
}
