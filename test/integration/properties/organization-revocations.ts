import { randomUUID } from 'node:crypto';
import { createOrganization, MEMBER } from '../../support/people/organizations.ts';
import { createTeam } from '../../support/people/teams.ts';
import type { KeysAtRisk } from './key-races.ts';
import { KEYS, must, promptUses, toolId, toolUses } from './revocable-organization.ts';
import type { Key, Revocable } from './revocable-organization.ts';
import { goodPassword } from '../../support/people/people.ts';

// Deletions take longer than the other ways: every fifth round is one.
const EVERY = 5;

/** Prepares the keys for one revocation after another. */
type Prepare = () => Promise<KeysAtRisk>;

/** Two things that keys have, each of which is revoked by the change that restores the other. */
function alternating(first: KeysAtRisk, second: KeysAtRisk): Prepare {
  let turn = 0;
  return async () => ((turn += 1) % 2 === 1 ? first : second);
}

/** One thing that keys have, which is restored before each revocation but the first. */
function restored(keys: KeysAtRisk, restore: () => Promise<unknown>): Prepare {
  let isRevoked = false;
  return async () => {
    if (isRevoked) await restore();
    isRevoked = true;
    return keys;
  };
}

interface Revocation {
  /** How many keys each revocation affects. */
  keys: number;
  /** Two ways; each gets its own organization, where the person is a member of both teams. */
  ways: readonly ((of: Revocable) => Promise<Prepare>)[];
}

/** Revocations by what is revoked. */
export const revocations: Readonly<Record<string, Revocation>> = {
  'a role lost a capability, or its holder the role (C3)': {
    keys: KEYS,
    ways: [
      async ({ owner, path, roles, keys: { follows }, patch, restore }) => {
        const edit = (...capabilities: string[]) =>
          patch(owner, `${path}/roles/${roles.edited.id}`, { capabilities });
        await edit('tools');
        await restore(roles.edited.id);
        return alternating(
          { uses: toolUses(follows, 'hash'), revoke: () => edit('prompts') },
          { uses: promptUses(follows), revoke: () => edit('tools') },
        );
      },
      async ({ owner, memberPath, roles, keys: { bound }, patch, restore }) => {
        const assign = ({ id }: { id: string }) => patch(owner, memberPath, { role_ids: [id] });
        await restore(roles.tools.id);
        return alternating(
          { uses: toolUses(bound, 'hash'), revoke: () => assign(roles.prompts) },
          { uses: promptUses(bound), revoke: () => assign(roles.tools) },
        );
      },
    ],
  },
  'a person left a team, or lost a role in it (P9, C3)': {
    keys: KEYS,
    ways: [
      async ({ owner, member, teams: { red }, keys, remove }) =>
        restored(
          {
            uses: toolUses(keys.follows, 'calculator'),
            revoke: () => remove(owner, red.seat(member)),
          },
          () => red.add(owner, member),
        ),
      async ({ owner, member, ofTeams, teams: { red }, keys: { bound }, patch, restore }) => {
        const assign = ({ id }: { id: string }) =>
          patch(owner, red.seat(member), { role_ids: [id] });
        await assign(ofTeams.tools);
        // The person's only capabilities are those of the team.
        await restore(MEMBER);
        return alternating(
          { uses: toolUses(bound, 'calculator'), revoke: () => assign(ofTeams.prompts) },
          { uses: promptUses(bound), revoke: () => assign(ofTeams.tools) },
        );
      },
    ],
  },
  'a person was removed from the organization, or left it (A6)': {
    keys: KEYS,
    ways: [
      membership(({ owner, memberPath, remove }) => remove(owner, memberPath)),
      membership(({ member, memberPath, remove }) => remove(member, memberPath)),
    ],
  },
  'a key was bound to another team (P9)': {
    keys: 1,
    ways: [
      binding('member', ({ member, patch }, { id }, team_ids) =>
        patch(member, `/api/keys/${id}`, { team_ids }),
      ),
      binding('organization', ({ owner, path, patch }, { id }, team_ids) =>
        patch(owner, `${path}/keys/${id}`, { team_ids }),
      ),
    ],
  },
  'an organization was suspended or deleted (A6)': {
    keys: KEYS,
    ways: [ending('follows'), ending('service')],
  },
  'a team was deleted, or its policy excluded the tool (P9)': {
    keys: KEYS,
    ways: [
      async (of) => policies(of),
      async (of) => {
        const { id, owner, path, keys, remove } = of;
        const policy = await policies(of);
        let turn = 0;
        return async () => {
          if ((turn += 1) % EVERY !== 0) return policy();
          const team = await createTeam(owner, id, 'green');
          return {
            uses: toolUses(keys.all, 'encode_decode'),
            revoke: () => remove(owner, `${path}/teams/${team.id}`, { confirm: 'green' }),
          };
        };
      },
    ],
  },
  'a key was revoked (K)': {
    keys: 1,
    ways: [
      async ({ member, newKey, remove }) =>
        async () => {
          const key = await newKey('member');
          const revoke = () => remove(member, `/api/keys/${key.id}`);
          return { uses: toolUses([key], 'hash'), revoke };
        },
      async ({ owner, path, newKey, remove }) =>
        async () => {
          const key = await newKey('organization');
          const revoke = () => remove(owner, `${path}/keys/${key.id}`);
          return { uses: toolUses([key], 'hash'), revoke };
        },
    ],
  },
  'a connection was revoked, or its client was disabled (K)': {
    keys: 1,
    ways: [
      async ({ member, newConnection, remove }) =>
        async () => {
          const one = await newConnection('member');
          const revoke = () => remove(member, `/api/me/connections/${one.id}`);
          return { uses: toolUses([one], 'hash'), revoke };
        },
      async ({ owner, path, newConnection, patch }) => {
        let turn = 0;
        return async () => {
          const one = await newConnection((turn += 1) % 2 === 1 ? 'organization' : 'member');
          const client = `${path}/oauth-clients/${one.client_id}`;
          return {
            uses: toolUses([one], 'hash'),
            revoke: () => patch(owner, client, { disabled: true }),
          };
        };
      },
    ],
  },
};

function membership(revoke: (of: Revocable) => Promise<unknown>) {
  return async (of: Revocable): Promise<Prepare> => {
    const { id, member, roles, keys, joins } = of;
    const uses = toolUses(keys.follows, 'hash');
    return restored({ uses, revoke: () => revoke(of) }, () =>
      joins.add(id, member, [roles.both.id]),
    );
  };
}

/** Replaces the only tool that the policy of a team admits. */
async function policies({ put, teams: { red }, keys: { service } }: Revocable): Promise<Prepare> {
  const admit = (tool: string) =>
    put(`${red.path}/policies/tool`, { mode: 'whitelist', tools: [toolId(tool)] });
  await admit('calculator');
  return alternating(
    { uses: toolUses(service, 'calculator'), revoke: () => admit('encode_decode') },
    { uses: toolUses(service, 'encode_decode'), revoke: () => admit('calculator') },
  );
}

/** Moves a key to the other team, and back. */
function binding(
  owner: 'member' | 'organization',
  bind: (of: Revocable, key: Key, team_ids: string[]) => Promise<unknown>,
) {
  return async (of: Revocable): Promise<Prepare> => {
    const { red, blue } = of.teams;
    const key = await of.newKey(owner, { team_ids: [red.id] });
    return alternating(
      { uses: toolUses([key], 'calculator'), revoke: () => bind(of, key, [blue.id]) },
      { uses: toolUses([key], 'uuid'), revoke: () => bind(of, key, [red.id]) },
    );
  };
}

/** Suspends the organization, or deletes another one. */
function ending(kind: 'follows' | 'service') {
  return async (of: Revocable): Promise<Prepare> => {
    const { id, owner, keys, joins, remove } = of;
    const suspensions = restored(
      { uses: toolUses(keys[kind], 'hash'), revoke: () => joins.setStatus(id, 'suspended') },
      () => joins.setStatus(id, 'active'),
    );
    let turn = 0;
    return async () => {
      if ((turn += 1) % EVERY !== 0) return suspensions();
      const other = await createOrganization(owner, 'Short');
      const path = `/api/organizations/${other.id}`;
      const tools = [toolId('hash')];
      const body = {
        tools,
        organization_wide_tools: tools,
        ...{ platform_prompts: [], organization_wide_prompts: [] },
      };
      await must(owner, { method: 'PUT', path: `${path}/mcp-settings`, body });
      const created: Key[] = [];
      while (created.length < KEYS) {
        const key = { name: `key ${randomUUID()}`, mcp_capabilities: ['tools'] };
        const scoped = { path: '/api/keys', body: { ...key, org_scope: other.id } };
        const owned = { path: `${path}/keys`, body: key };
        created.push(await must<Key>(owner, kind === 'follows' ? scoped : owned));
      }
      return {
        uses: toolUses(created, 'hash'),
        revoke: () => remove(owner, path, { confirm: 'Short', current_password: goodPassword }),
      };
    };
  };
}
