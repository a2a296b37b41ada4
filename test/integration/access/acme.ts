import { randomUUID } from 'node:crypto';
import {
  ADMIN,
  askAs,
  createOrganization,
  createRole,
} from '../../support/people/organizations.ts';
import { addAccounts, createJoins } from '../../support/people/organizations.ts';
import { oneAddress, signUp } from '../../support/people/people.ts';
import type { SignedUp } from '../../support/people/people.ts';
import { createConnectionsSupport } from '../../support/people/connections.ts';
import { createTeam, createTeamRole, seatsOf, TEAM_ADMIN } from '../../support/people/teams.ts';
import { createWorld } from '../../support/worlds/world.ts';
import { draftOf, FAMILIES } from '../organizations/content-items.ts';
import { toolId } from '../mcp/key-holder.ts';
import { CAPABILITIES } from '../organizations/union.ts';

/** An address at which no server listens. */
export const nowhere = 'http://127.0.0.1:1/';
const plans = new URL('../../support/worlds/generous-plans.json', import.meta.url).pathname;

/** A registration of an OAuth client without a secret. */
export const publicClient = {
  ...{ name: 'Target', type: 'public', grant_types: ['authorization_code'] },
  ...{ redirect_uris: ['https://client.example/callback'], allowed_scopes: ['mcp_tools'] },
};

/** Item ids by family; `spare` is an upstream that requests may delete. */
export type SpaceItems = Record<string, string>;

/**
 * Creates an organization with a team and an item of each family in every space. The tests of this
 * folder change nothing in it: allowed requests fail for another reason, or are undone.
 */
export async function createAcme(
  gatewayEnv: (env: Record<string, string>) => Promise<Record<string, string>> = async () => ({}),
) {
  const world = await createWorld({
    ...oneAddress,
    OUTBOUND_ALLOW: '127.0.0.1',
    PLANS_FILE: plans,
  });
  const gateway = await world.gateway({ env: await gatewayEnv(world.env) });
  const joins = await createJoins(gateway);
  const oauth = await createConnectionsSupport(world, gateway);
  const owner = await signUp(world, gateway, 'owner');
  const mia = await signUp(world, gateway, 'mia');
  const stranger = await signUp(world, gateway, 'stranger');
  const acme = (await createOrganization(owner)).id;
  const path = `/api/organizations/${acme}`;
  const red = (await createTeam(owner, acme, 'red')).id;
  const blue = (await createTeam(owner, acme, 'blue')).id;
  const seats = seatsOf(acme, red);

  async function requireSuccess<Body = { id: string }>(
    who: SignedUp,
    request: Parameters<typeof askAs>[1],
  ): Promise<Body> {
    const { status, body } = await askAs<Body>(who, request);
    if (status >= 300) throw new Error(`${request.path}: ${status} ${JSON.stringify(body)}`);
    return body;
  }

  const nothing = await createRole(owner, acme, { name: 'Nothing' });
  // A caller must have every permission of the member they change, so the others have none.
  const [noa, rex, sam] = (await addAccounts(world, gateway, 3)) as [
    { id: string },
    { id: string },
    { id: string },
  ];
  const addMember = (account_id: string) => joins.add(acme, { account_id }, [nothing.id]);
  const addSeat = (account_id: string) =>
    requireSuccess(owner, { path: `${seats.path}/members`, body: { account_id, role_ids: [] } });
  for (const { id } of [noa, rex, sam]) await addMember(id);
  for (const { id } of [noa, sam]) await addSeat(id);

  const held = await createRole(owner, acme, { name: 'Held', capabilities: CAPABILITIES });
  const heldInTeam = await createTeamRole(owner, `${path}/team-roles`, { name: 'Held' });
  await joins.add(acme, mia, [held.id]);

  const addUpstream = (who: SignedUp, at: string, name: string) =>
    requireSuccess(who, {
      path: `${at}/upstreams`,
      body: { name, url: nowhere, oauth: { connection: 'each_person' } },
    });
  async function fill(who: SignedUp, at: string): Promise<SpaceItems> {
    const items: SpaceItems = {};
    for (const family of FAMILIES)
      items[family] = (
        await requireSuccess(who, { path: `${at}/${family}`, body: draftOf(family) })
      ).id;
    items['upstreams'] = (await addUpstream(who, at, 'guide')).id;
    items['spare'] = (await addUpstream(who, at, `spare-${randomUUID()}`)).id;
    return items;
  }

  const keyName = `target ${randomUUID()}`;
  const addKey = async (name: string) =>
    (await requireSuccess(owner, { path: `${path}/keys`, body: { name, mcp_capabilities: [] } }))
      .id;
  /** Creates a key of the Owner that runs in the organization and has nothing elsewhere. */
  const addMemberKey = async () =>
    (
      await requireSuccess(owner, {
        path: '/api/keys',
        body: { name: randomUUID(), mcp_capabilities: [], org_scope: acme },
      })
    ).id;
  const addClient = async () =>
    (await requireSuccess(owner, { path: `${path}/oauth-clients`, body: publicClient })).id;
  /** Creates a client that acts by itself, and returns its connection. */
  const addMachine = async () =>
    oauth.machine(
      await oauth.client({
        ...{ owner: { organization_id: acme }, scopes: ['mcp_tools'], team_ids: [] },
        grant_types: ['client_credentials'],
      }),
    );
  const invite = async () =>
    (
      await requireSuccess(owner, {
        path: `${path}/invitations`,
        body: { email: `guest-${randomUUID()}@example.com`, role_ids: [nothing.id] },
      })
    ).id;

  /** Saves a SCIM token that nobody knows: creating one requires the Enterprise plan. */
  const addScimToken = async (organization_id: string) => {
    const id = randomUUID();
    await world.query(
      `INSERT INTO scim_token (id, organization_id, name, token_hash, prefix)
       VALUES ($1, $2, 'Directory', sha256($3), 'scim_')`,
      [id, organization_id, Buffer.from(id)],
    );
    return id;
  };

  const spaces = {
    'owner personal': await fill(owner, '/api/me'),
    'owner me': await fill(owner, `${path}/me`),
    'mia me': await fill(mia, `${path}/me`),
    catalog: await fill(owner, path),
    red: await fill(owner, seats.path),
    blue: await fill(owner, `${path}/teams/${blue}`),
  };

  const addDomain = async (organization: string, domain: string) => {
    await world.query('INSERT INTO sso_domain VALUES ($1, $2, $3)', [organization, domain, 'x']);
    return domain;
  };
  const addConnection = async (organization: string) => {
    const id = randomUUID();
    await world.query(
      `INSERT INTO sso_connection (id, organization_id, name, protocol, configuration, attributes,
         role_ids, seats, may_link)
       VALUES ($1, $2, 'ID', 'saml', $3, $4, '{}', '[]', false)`,
      [
        ...[id, organization],
        {
          protocol: 'saml',
          entity_id: 'x',
          sign_in_url: nowhere,
          certificates: ['x'],
          response_signed: true,
        },
        { email: null, first_name: null, last_name: null },
      ],
    );
    return id;
  };

  /** Takes an access review, and returns its id with that of its first entry. */
  async function addReview(who: SignedUp, at: string) {
    const { id } = await requireSuccess(who, { path: `${at}/access/reviews`, body: {} });
    const { body } = await askAs<{ data: { id: string }[] }>(who, {
      path: `${at}/access/reviews/${id}/entries`,
    });
    return { review_id: id, entry_id: body.data[0]!.id };
  }

  return {
    ...{ world, gateway, joins, oauth, requireSuccess, path, acme, red, blue, spaces, keyName },
    people: { owner, mia, stranger },
    /** Roles that tests change: of `mia` in the organization, and one to assign in the team. */
    roles: { held: held.id, heldInTeam: heldInTeam.id, nothing: nothing.id },
    /** Targets of requests; the spare ones may be deleted, and are created again. */
    ids: {
      ...{ organization_id: acme, team_id: red, role_id: ADMIN, team_role_id: TEAM_ADMIN },
      ...{ noa: noa.id, rex: rex.id, sam: sam.id },
      ...{ key_id: await addKey(keyName), renamed_key: await addKey(randomUUID()) },
      deleted_key: await addKey(randomUUID()),
      ...{ owner: owner.account_id, member_key: await addMemberKey() },
      domain: await addDomain(acme, 'acme.example'),
      connection_id: await addConnection(acme),
      ...{ client_id: await addClient(), deleted_client: await addClient() },
      ...{ machine: await addMachine(), deleted_machine: await addMachine() },
      ...{ invitation_id: await invite(), spare_invitation: await invite() },
      token_id: await addScimToken(acme),
      ...(await addReview(owner, path)),
      closed_review: (await addReview(owner, path)).review_id,
      permission: 'can_view_organization_members',
      ...{ family: 'tools', item_id: toolId('hash') },
    } as Record<string, string>,
    again: {
      member: addMember,
      seat: addSeat,
      key: addKey,
      memberKey: addMemberKey,
      client: addClient,
      machine: addMachine,
      invitation: invite,
      scimToken: addScimToken,
      domain: addDomain,
      connection: addConnection,
      upstream: addUpstream,
      review: addReview,
    },
    /** Creates a key of a person, and returns its id with its header. */
    async keyOf(who: SignedUp, fields: Record<string, unknown>) {
      const body = { name: randomUUID(), mcp_capabilities: [], ...fields };
      const { id, secret } = await requireSuccess<{ id: string; secret: string }>(who, {
        path: '/api/keys',
        body,
      });
      return { id, headers: { 'x-api-key': secret } };
    },
    async organizationKey(fields: Record<string, unknown>) {
      const body = { name: randomUUID(), mcp_capabilities: [], ...fields };
      const made = await requireSuccess<{ id: string; secret: string }>(owner, {
        path: `${path}/keys`,
        body,
      });
      return { id: made.id, headers: { 'x-api-key': made.secret } };
    },
    async close() {
      await joins.close();
      await oauth.close();
      await world.close();
    },
  };
}
export type Acme = Awaited<ReturnType<typeof createAcme>>;
