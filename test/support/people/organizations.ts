import { setTimeout } from 'node:timers/promises';
import { connect, disconnect } from '../../../src/connections.ts';
import { systemAuthority } from '../../../src/caller/actor.ts';
import { createParts } from '../../../src/parts.ts';
import type { RoleRecord } from '../../../src/organizations/roles/schema.ts';
import type { OrganizationRecord } from '../../../src/organizations/schema.ts';
import { isRefusal } from '../../../src/platform/errors/refusal.ts';
import type { Gateway, World } from '../worlds/world.ts';
import { createPerson } from './people.ts';
import type { Answer, SendRequest, SignedUp } from './people.ts';

/** The system roles' ids, as clients see them. */
export const OWNER = '00000000-0000-8000-8000-000000000001';
export const ADMIN = '00000000-0000-8000-8000-000000000002';
export const MEMBER = '00000000-0000-8000-8000-000000000003';

export interface Errors {
  errors?: { code: string; detail: unknown }[];
}

const TRIES = 10;

/**
 * Sends a request in a person's session. Retries a 503, which on a busy machine means that an
 * earlier change is not in OpenFGA yet.
 */
export async function askAs<Body = unknown>(
  { person, bearer }: SignedUp,
  request: SendRequest,
): Promise<Answer<Body & Errors>> {
  for (let tries = 1; ; tries += 1) {
    const headers = { ...bearer, ...request.headers };
    const answer = await person.ask<Body & Errors>({ ...request, headers });
    if (answer.status !== 503 || tries === TRIES) return answer;
    await setTimeout(300);
  }
}

/** Sends a request; a change with the person's password, which proves that they are present. */
export const askPresent = <Body = unknown>(who: SignedUp, request: SendRequest) =>
  askAs<Body>(who, {
    ...request,
    ...((request.method ?? 'GET') === 'GET' && request.body === undefined
      ? {}
      : { body: { ...(request.body as object | undefined), current_password: who.password } }),
  });

/** Returns the same session for requests to another gateway. */
export const at = (who: SignedUp, { url }: Pick<Gateway, 'url'>): SignedUp => ({
  ...who,
  person: createPerson(url, who.person.address),
});

/** Returns status and error code. */
export const outcomeOf = ({ status, body }: Answer<Errors>) =>
  status < 400 ? [status] : [status, body.errors?.[0]?.code];

export async function createOrganization(owner: SignedUp, name = 'Acme') {
  const created = await askAs<OrganizationRecord>(owner, {
    path: '/api/organizations',
    body: { name },
  });
  if (created.status !== 201) throw new Error(`organization: ${JSON.stringify(created.body)}`);
  return created.body;
}

export interface Joins {
  /** Adds a person as a member, with the role Member by default. */
  add(
    organization_id: string,
    person: Pick<SignedUp, 'account_id'>,
    role_ids?: readonly string[],
  ): Promise<void>;
  /** Suspends or reactivates an organization, as an operator does. */
  setStatus(organization_id: string, status: 'active' | 'suspended'): Promise<unknown>;
  close(): Promise<void>;
}

/** Retries what is refused because an earlier change is not in OpenFGA yet. */
export async function retried<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1)
    try {
      return await work();
    } catch (error) {
      if (!isRefusal(error) || error.kind !== 'unavailable' || tries === TRIES) throw error;
      await setTimeout(300);
    }
}

/** Adds members through the service's own code, on separate connections. */
export async function createJoins({ config }: Gateway): Promise<Joins> {
  const connections = await connect(config);
  const { organizations, workers } = createParts(config, connections, {});
  return {
    add: (organization_id, { account_id }, role_ids = [MEMBER]) =>
      retried(() => organizations.join({ organization_id, account_id, role_ids }, systemAuthority)),
    setStatus: (id, status) => retried(() => organizations.operations.setStatus(id, status)),
    async close() {
      await workers.close();
      await disconnect(connections);
    },
  };
}

/** Creates accounts that nobody signs in to, for organizations with many members. */
export async function addAccounts(
  world: Pick<World, 'query'>,
  { service }: Gateway,
  count: number,
) {
  const accounts = await world.query<{ id: string }>(
    `WITH scope AS (
       INSERT INTO authz_scope (kind, id)
       SELECT 'account', gen_random_uuid() FROM generate_series(1, $1) RETURNING id
     )
     INSERT INTO account (id) SELECT id FROM scope RETURNING id`,
    [count],
  );
  // Repairing the drift writes their tuples.
  for await (const _ of service.drift({ repair: true }));
  return accounts;
}

/** Returns the scopes whose tuples differ from their rows. */
export async function driftOf({ service }: Gateway): Promise<string[]> {
  const found: string[] = [];
  for await (const { scope } of service.drift({ repair: false })) found.push(scope);
  return found;
}

/** Creates a custom role, without permissions by default. */
export async function createRole(
  owner: SignedUp,
  organization_id: string,
  draft: { name: string; permissions?: string[]; capabilities?: string[] },
): Promise<RoleRecord> {
  const created = await askAs<RoleRecord>(owner, {
    path: `/api/organizations/${organization_id}/roles`,
    body: draft,
  });
  if (created.status !== 201) throw new Error(`role: ${JSON.stringify(created.body)}`);
  return created.body;
}
