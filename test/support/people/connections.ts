import { randomUUID } from 'node:crypto';
import { SignJWT } from 'jose';
import { connect, disconnect } from '../../../src/connections.ts';
import { systemAuthority } from '../../../src/caller/actor.ts';
import { createParts } from '../../../src/parts.ts';
import type { MachineClient } from '../../../src/oauth/connections/connections.ts';
import type { SignedUp } from './people.ts';
import type { Gateway, World } from '../worlds/world.ts';
import { retried } from './organizations.ts';

/** A client and what it may do; by default, a confidential client that people authorize. */
export interface ClientFields {
  /** The person or the organization that it belongs to. */
  owner: { account_id: string } | { organization_id: string };
  scopes: readonly string[];
  grant_types?: readonly string[];
  /** In an organization: the teams that it is bound to; null if it follows teams. */
  team_ids?: readonly string[] | null;
}

export interface StoredClient extends MachineClient {
  has_own_authority: boolean;
}

export type ConnectionsSupport = Awaited<ReturnType<typeof createConnectionsSupport>>;

/**
 * Creates clients and connections through the service's own code, on separate connections, where
 * the subject is not how people register and authorize them.
 */
export async function createConnectionsSupport(
  world: Pick<World, 'query'>,
  { config }: Pick<Gateway, 'config'>,
) {
  const links = await connect(config);
  const { oauth, authz, keys, workers } = createParts(config, links, {});
  const { connections } = oauth;

  async function changeMachine(
    organization_id: string,
    before: MachineClient | null,
    after: MachineClient | null,
  ): Promise<string | null> {
    const id = (after ?? before)!.id;
    const { writes, apply, ...change } = await connections.machineChange(
      links.database.pool,
      before,
      after,
    );
    await retried(() =>
      authz.change({
        ...{ ...change, ...systemAuthority, reason: 'connection.update', work: apply },
        writes: [{ kind: 'organization', id: organization_id }, ...writes],
      }),
    );
    return (await connections.machineOf(id))?.id ?? null;
  }

  return {
    connections,
    keys,
    changeMachine,
    async client({ owner, scopes, ...rest }: ClientFields): Promise<StoredClient> {
      const grant_types = rest.grant_types ?? ['authorization_code', 'refresh_token'];
      const organization_id = 'organization_id' in owner ? owner.organization_id : null;
      const client = {
        ...{ id: randomUUID(), organization_id, grant_types, allowed_scopes: scopes },
        team_ids: organization_id === null ? null : (rest.team_ids ?? null),
        disabled_at: null,
        has_own_authority: grant_types.includes('client_credentials'),
      };
      await world.query(
        `INSERT INTO oauth_client (id, account_id, organization_id, name, type, grant_types,
           redirect_uris, allowed_scopes, follows_teams)
         VALUES ($1, $2, $3, 'Client', 'confidential', $4,
           '{https://client.example/callback}', $5, $6)`,
        [
          ...[client.id, 'account_id' in owner ? owner.account_id : null, organization_id],
          ...[grant_types, scopes, organization_id !== null && client.team_ids === null],
        ],
      );
      for (const team_id of client.team_ids ?? [])
        await world.query('INSERT INTO oauth_client_team VALUES ($1, $2, $3)', [
          ...[client.id, organization_id, team_id],
        ]);
      return client;
    },
    /** Authorizes a client as a person, with all its scopes and teams by default. */
    authorize: (
      client: StoredClient,
      { account_id }: Pick<SignedUp, 'account_id'>,
      fields: {
        scopes?: readonly string[];
        team_ids?: readonly string[] | null;
        default_agent_id?: string | null;
      } = {},
    ): Promise<string> =>
      retried(async () => {
        const id = await connections.createDelegated(
          {
            ...{ client, account_id, scopes: client.allowed_scopes, team_ids: client.team_ids },
            ...{ default_agent_id: null, session_id: null, ...fields },
          },
          systemAuthority,
        );
        await connections.activate(id);
        return id;
      }),
    /** Creates the machine connection of a client. */
    machine: async (client: StoredClient): Promise<string> =>
      (await changeMachine(client.organization_id!, null, client))!,
    /** Signs an access token of a connection, with all its scopes by default. */
    async token(id: string, claims: Record<string, unknown> = {}): Promise<string> {
      const [row] = await world.query<{ sub: string; client_id: string; scope: string }>(
        `SELECT coalesce(account_id, client_id)::text AS sub, client_id,
           array_to_string(scopes, ' ') AS scope
         FROM oauth_connection WHERE id = $1`,
        [id],
      );
      const now = Math.floor(Date.now() / 1_000);
      const [key] = await oauth.signingKeys.signing();
      return new SignJWT({
        ...{ iss: config.PUBLIC_URL, aud: `${config.PUBLIC_URL}/mcp`, jti: randomUUID() },
        ...{ ...row, cid: id, iat: now, exp: now + 3_600, ...claims },
      })
        .setProtectedHeader({ alg: 'RS256', typ: 'at+jwt', kid: key!.kid })
        .sign(key!);
    },
    signingKeys: oauth.signingKeys,
    revoke: (...ids: readonly string[]) => retried(() => connections.revoke(ids, systemAuthority)),
    async close() {
      await workers.close();
      await disconnect(links);
    },
  };
}
