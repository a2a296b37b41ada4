import { setTimeout } from 'node:timers/promises';
import type { CreatedToken } from '../../../src/scim/tokens/schema.ts';
import type { Gateway } from '../worlds/world.ts';
import { askAs, askPresent, createOrganization } from './organizations.ts';
import { signUp } from './people.ts';
import type { SignedUp } from './people.ts';
import { createTeamsWorld } from './teams.ts';
import type { TeamsWorld } from './teams.ts';

/** A response of SCIM; errors have `detail`, lists have `Resources`. */
export interface ScimAnswer {
  status: number;
  body: ScimBody;
  headers: Headers;
  text: string;
}

export interface ScimBody {
  id: string;
  schemas: string[];
  userName: string;
  active: boolean;
  displayName: string;
  name: { formatted: string; givenName: string; familyName: string };
  emails: { value: string }[];
  externalId: string;
  groups: { value: string; display: string }[];
  members: { value: string; display: string }[];
  Resources: ScimBody[];
  totalResults: number;
  startIndex: number;
  itemsPerPage: number;
  scimType: string;
  detail: string;
}

export interface SendScim {
  method?: string;
  path: string;
  body?: unknown;
  headers?: Record<string, string>;
}

const TRIES = 10;

/** A directory that provisions one organization, as Okta or Entra ID does. */
export function createDirectory({ url }: Pick<Gateway, 'url'>, base: string, token: string) {
  /** Sends a request; retries a 503, as directories do. */
  async function ask({ method, path, body, headers }: SendScim): Promise<ScimAnswer> {
    for (let tries = 1; ; tries += 1) {
      const response = await fetch(`${url}${base}${path}`, {
        method: method ?? (body === undefined ? 'GET' : 'POST'),
        headers: {
          authorization: `Bearer ${token}`,
          ...(body === undefined ? {} : { 'content-type': 'application/scim+json' }),
          ...headers,
        },
        ...(body === undefined
          ? {}
          : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      });
      const text = await response.text();
      const { status } = response;
      if (status === 503 && tries < TRIES) {
        await setTimeout(300);
        continue;
      }
      return { status, headers: response.headers, text, body: text ? JSON.parse(text) : undefined };
    }
  }
  const patch = (path: string, ...Operations: object[]) =>
    ask({
      method: 'PATCH',
      path,
      body: { schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'], Operations },
    });
  return {
    ask,
    patch,
    /** Searches, as every directory does before it creates. */
    find: (path: string, filter: string, more = '') =>
      ask({ path: `${path}?filter=${encodeURIComponent(filter)}${more}` }),
    put: (path: string, body: object) => ask({ method: 'PUT', path, body }),
    remove: (path: string) => ask({ method: 'DELETE', path }),
  };
}

export async function createToken(owner: SignedUp, organization_id: string) {
  const path = `/api/organizations/${organization_id}/sso/scim-tokens`;
  const created = await askPresent<CreatedToken>(owner, { path, body: { name: 'Okta' } });
  if (created.status !== 201) throw new Error(`token: ${JSON.stringify(created.body)}`);
  return created.body;
}

/** Starts a world of two gateways, with organizations that their directories provision. */
export async function createDirectoryWorld() {
  const teams: TeamsWorld = await createTeamsWorld();
  const { world, gateway } = teams;

  /** Creates an Enterprise organization that has verified a domain, and its directory. */
  async function provisioned(domain: string) {
    const owner = await signUp(world, gateway, 'owner');
    const { id } = await createOrganization(owner);
    await gateway.service.organizations.setPlan(id, 'enterprise');
    await world.query(
      `INSERT INTO sso_domain (organization_id, domain, txt_value, verified_at)
       VALUES ($1, $2, 'x', now())`,
      [id, domain],
    );
    const { token, id: token_id } = await createToken(owner, id);
    const base = `/scim/v2/${id}`;
    const path = `/api/organizations/${id}`;
    return {
      ...{ id, owner, path, base, domain, token, token_id },
      ...createDirectory(gateway, base, token),
      /** Returns the members as people see them, by address. */
      async members() {
        const { body } = await askAs<{ data: Member[] }>(owner, {
          path: `${path}/members?limit=200`,
        });
        return new Map(body.data.map((member) => [member.email, member]));
      },
    };
  }
  return { ...teams, provisioned };
}
export type DirectoryWorld = Awaited<ReturnType<typeof createDirectoryWorld>>;

interface Member {
  account_id: string;
  email: string;
  first_name: string | null;
  last_name: string | null;
  roles: { name: string }[];
  teams: { id: string; name: string; roles: { name: string }[] }[];
}

/** A user as Okta creates it. */
export const oktaUser = (userName: string, change: object = {}) => ({
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
  userName,
  name: { givenName: 'Grace', familyName: 'Hopper' },
  emails: [{ primary: true, value: userName, type: 'work' }],
  displayName: 'Grace Hopper',
  locale: 'en-US',
  externalId: `okta-${userName}`,
  groups: [],
  password: '1mz050nq',
  active: true,
  ...change,
});

/** A user as Microsoft Entra ID creates it. */
export const entraUser = (userName: string, change: object = {}) => ({
  schemas: [
    'urn:ietf:params:scim:schemas:core:2.0:User',
    'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User',
  ],
  externalId: '0a21f0f2-8d2a-4f8e-bf98-7363c4aed4ef',
  userName,
  active: true,
  addresses: null,
  displayName: 'Lovelace, Ada',
  emails: [{ primary: true, type: 'work', value: userName }],
  meta: { resourceType: 'User' },
  name: { formatted: 'Ada Lovelace', familyName: 'Lovelace', givenName: 'Ada' },
  phoneNumbers: null,
  title: null,
  'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User': { department: 'Engines' },
  ...change,
});
