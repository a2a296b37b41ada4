import { randomUUID } from 'node:crypto';
import { askAs } from '../../support/people/organizations.ts';
import type { SignedUp } from '../../support/people/people.ts';
import { ESCALATION, GRANTED, GRANTED_IN_TEAM, NOT_HELD, patch, post } from './demoted-grantor.ts';
import type { Grantor, Grant } from './demoted-grantor.ts';

const grantOf = ({ id }: Grantor, { permissions }: { permissions: string[] }) => ({
  grants: [{ scope: { type: 'org', org_id: id }, permissions }],
});
const TOOLS = { mcp_capabilities: GRANTED.capabilities };
/** By default without teams: following all of them requires a permission of its own. */
const draft = (fields: object) => ({
  ...{ name: `key ${randomUUID()}`, mcp_capabilities: [], team_ids: [] },
  ...fields,
});
const scoped = ({ id }: Grantor, fields: object) => draft({ org_scope: id, ...fields });

/** Creates a key and returns its path. */
async function createAt(who: SignedUp, path: string, body: object): Promise<string> {
  const created = await askAs<{ id: string }>(who, { path, body });
  if (created.status !== 201) throw new Error(`key: ${JSON.stringify(created.body)}`);
  return `${path}/${created.body.id}`;
}
const createOwn = (setup: Grantor, fields: object) =>
  createAt(setup.grantor, '/api/keys', scoped(setup, fields));
/** Creates a key of the organization as its Owner, who may grant everything. */
const createShared = ({ owner, path }: Grantor, fields: object) =>
  createAt(owner, `${path}/keys`, draft(fields));

const boundTo = ({ team }: Grantor) => ({ team_ids: [team.id] });

/** Grants to keys, by a grantor who is demoted in the organization. */
export const keyGrants: readonly Grant[] = [
  [
    'creates a key with a grant',
    (setup) => () => post(setup.grantor, '/api/keys', scoped(setup, grantOf(setup, GRANTED))),
    NOT_HELD,
  ],
  [
    'creates a key with a capability',
    (setup) => () => post(setup.grantor, '/api/keys', scoped(setup, TOOLS)),
    ESCALATION,
  ],
  [
    'adds a grant to a key',
    async (setup) => {
      const key = await createOwn(setup, {});
      return () => patch(setup.grantor, key, grantOf(setup, GRANTED));
    },
    NOT_HELD,
  ],
  [
    'adds a capability to a key',
    async (setup) => {
      const key = await createOwn(setup, {});
      return () => patch(setup.grantor, key, TOOLS);
    },
    ESCALATION,
  ],
  [
    'binds a key with a capability to a team',
    async (setup) => {
      const key = await createOwn(setup, TOOLS);
      return () => patch(setup.grantor, key, boundTo(setup));
    },
    ESCALATION,
  ],
  [
    'binds a key with a grant to a team',
    async (setup) => {
      const key = await createOwn(setup, grantOf(setup, GRANTED));
      return () => patch(setup.grantor, key, boundTo(setup));
    },
    NOT_HELD,
  ],
  [
    'creates a key of the organization with a grant',
    (setup) => () => post(setup.grantor, `${setup.path}/keys`, draft(grantOf(setup, GRANTED))),
    NOT_HELD,
  ],
  [
    'creates a key of the organization with a capability',
    ({ grantor, path }) =>
      () =>
        post(grantor, `${path}/keys`, draft(TOOLS)),
    ESCALATION,
  ],
  [
    'adds a grant to a key of the organization',
    async (setup) => {
      const key = await createShared(setup, {});
      return () => patch(setup.grantor, key, grantOf(setup, GRANTED));
    },
    NOT_HELD,
  ],
  [
    'adds a capability to a key of the organization',
    async (setup) => {
      const key = await createShared(setup, {});
      return () => patch(setup.grantor, key, TOOLS);
    },
    ESCALATION,
  ],
  [
    'binds a key of the organization with a capability to a team',
    async (setup) => {
      const key = await createShared(setup, TOOLS);
      return () => patch(setup.grantor, key, boundTo(setup));
    },
    ESCALATION,
  ],
  [
    'binds a key of the organization with a grant to a team',
    async (setup) => {
      const key = await createShared(setup, grantOf(setup, GRANTED));
      return () => patch(setup.grantor, key, boundTo(setup));
    },
    NOT_HELD,
  ],
];

/** Grants of a team permission to keys, by a grantor who is demoted in the team. */
export const keyGrantsInTeam: readonly Grant[] = [
  [
    'adds a grant to a key that is bound to the team',
    async (setup) => {
      const key = await createOwn(setup, boundTo(setup));
      return () => patch(setup.grantor, key, grantOf(setup, GRANTED_IN_TEAM));
    },
    NOT_HELD,
  ],
  [
    'binds a key with a grant to the team',
    async (setup) => {
      const following = { ...grantOf(setup, GRANTED_IN_TEAM), team_ids: null };
      const key = await createOwn(setup, following);
      return () => patch(setup.grantor, key, boundTo(setup));
    },
    NOT_HELD,
  ],
  [
    'creates a key of the organization that is bound to the team',
    (setup) => () =>
      post(
        setup.grantor,
        `${setup.path}/keys`,
        draft({ ...grantOf(setup, GRANTED_IN_TEAM), ...boundTo(setup) }),
      ),
    NOT_HELD,
  ],
  [
    'binds a key of the organization with a grant to the team',
    async (setup) => {
      const key = await createShared(setup, grantOf(setup, GRANTED_IN_TEAM));
      return () => patch(setup.grantor, key, boundTo(setup));
    },
    NOT_HELD,
  ],
];
