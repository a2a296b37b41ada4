import { randomUUID } from 'node:crypto';
import { createConnectionsSupport } from '../../../support/people/connections.ts';
import { askAs, createRole } from '../../../support/people/organizations.ts';
import { createKey } from '../../../support/people/people.ts';
import type { SignedUp } from '../../../support/people/people.ts';
import { credentialHeader } from '../../../support/clients/credential-header.ts';
import { closeAfterTests } from '../../../support/worlds/close-after-tests.ts';
import { useOrganizations } from '../../../support/worlds/use-organizations.ts';

const MINUTE_MS = 60_000;

/** Hours from one time until another, in minutes from now. */
export function hoursFrom(from: number, to: number) {
  const timeIn = (minutes: number) =>
    new Date(Date.now() + minutes * MINUTE_MS).toISOString().slice(11, 16);
  const days = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];
  return { zone: 'UTC', windows: [{ days, from: timeIn(from), to: timeIn(to) }] };
}

/** Hours that it is now, and hours that it is not. */
export const open = () => hoursFrom(-60, 180);
export const closed = () => hoursFrom(60, 180);

/** A credential whose use can be restricted. */
export interface Restricted {
  id: string;
  secret: string;
  /** The route that changes it, for `who`. */
  path: string;
  who: SignedUp;
  /** The route that explains its access to a tool. */
  explain: string;
}

/** Starts a gateway behind a proxy, and creates a credential of each kind. */
export async function useRestricted() {
  const { world, gateway, organization } = await useOrganizations();
  const support = await closeAfterTests(createConnectionsSupport(world, gateway));
  const { id: organization_id, owner, join } = await organization();
  const owned = `/api/organizations/${organization_id}`;

  async function organizationKey(): Promise<Restricted> {
    const { status, body } = await askAs<{ id: string; secret: string }>(owner, {
      path: `${owned}/keys`,
      body: { name: `key ${randomUUID()}`, mcp_capabilities: ['tools'] },
    });
    if (status !== 201) throw new Error(JSON.stringify(body));
    const path = `${owned}/keys/${body.id}`;
    return { ...body, path, who: owner, explain: `${path}/explain` };
  }

  async function personalKey(change: Record<string, unknown> = {}): Promise<Restricted> {
    const key = await createKey(owner, change);
    const path = `/api/keys/${key.id}`;
    return { ...key, path, who: owner, explain: `${path}/explain` };
  }

  async function connection(inOrganization: boolean): Promise<Restricted> {
    const of = inOrganization ? { organization_id } : { account_id: owner.account_id };
    const client = await support.client({ owner: of, scopes: ['mcp_tools'] });
    const id = await support.authorize(client, owner);
    const path = `/api/me/connections/${id}`;
    const secret = await support.token(id);
    return { id, secret, path, who: owner, explain: `${path}/explain` };
  }

  async function machine(): Promise<Restricted> {
    const grant_types = ['client_credentials'];
    const fields = { owner: { organization_id }, scopes: ['mcp_tools'], grant_types };
    const id = await support.machine(await support.client(fields));
    const path = `${owned}/connections/${id}`;
    // A machine connection is not listed before its first token.
    return { id, secret: await support.token(id), path, who: owner, explain: `${path}/explain` };
  }

  return {
    ...{ world, gateway, support, owner, organization_id },
    kinds: {
      'a person’s key': () => personalKey(),
      'a key in an organization': () => personalKey({ org_scope: organization_id }),
      'an organization’s key': organizationKey,
      'a connection of a person': () => connection(false),
      'a connection in an organization': () => connection(true),
      'a machine connection': machine,
    } satisfies Record<string, () => Promise<Restricted>>,
    /** Signs up a member with a role of these permissions. */
    async joinWith(permissions: string[]) {
      const name = `role ${randomUUID().slice(0, 8)}`;
      const { id } = await createRole(owner, organization_id, { name, permissions });
      return join([id]);
    },
    /** Changes a credential; throws unless that succeeds. */
    async restrict({ path, who }: Restricted, body: object) {
      const answer = await askAs<Record<string, unknown>>(who, { method: 'PATCH', path, body });
      if (answer.status !== 200) throw new Error(`${path}: ${JSON.stringify(answer.body)}`);
      return answer.body;
    },
    /** Sends a request over REST from an address that the proxy on this machine reports. */
    rest: (secret: string, address: string, path = `${owned}/members`) =>
      fetch(`${gateway.url}${path}`, {
        headers: { ...credentialHeader(secret), 'x-forwarded-for': address },
      }),
  };
}
