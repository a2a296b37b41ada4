import { decodeJwt } from 'jose';
import { expect } from 'vitest';
import { createConnectionsSupport } from '../../../support/people/connections.ts';
import { createOAuthPeer, REDIRECT } from '../../../support/people/oauth.ts';
import type { TestClient } from '../../../support/people/oauth.ts';
import { selectTools, signUp } from '../../../support/people/people.ts';
import { createWorld } from '../../../support/worlds/world.ts';
import { OWN, registered } from '../clients/registering.ts';

const SCOPES = ['mcp_tools', 'mcp_resources', 'mcp_prompts', 'mcp_agents'];

export type RegisteredWorld = Awaited<ReturnType<typeof createRegisteredWorld>>;

/** Starts a gateway that clients of others reach by its public URL, and a person who allows them. */
export async function createRegisteredWorld() {
  const world = await createWorld();
  const gateway = await world.gateway();
  const support = await createConnectionsSupport(world, gateway);
  const ada = await signUp(world, gateway);
  const peer = createOAuthPeer(gateway);
  await selectTools(ada, ['calculator']);
  return {
    ...{ ada, peer },
    issuer: gateway.config.PUBLIC_URL,
    endpoint: `${gateway.config.PUBLIC_URL}/mcp`,
    /** Opens an authorization URL and allows it, in a browser that returns to a local program. */
    async visit(authorizationUrl: URL): Promise<void> {
      const answer = await fetch(await peer.allow(authorizationUrl, ada));
      await answer.body?.cancel();
    },
    /** A tool call, and its result. */
    call: { name: 'calculator', arguments: { expression: '6 * 7' } },
    called: { structuredContent: { result: 42 } },
    async register({
      type = 'public',
      redirect_uri = REDIRECT,
    }: { type?: 'public' | 'confidential'; redirect_uri?: string } = {}): Promise<TestClient> {
      const client = await registered(ada, OWN, {
        ...{ name: 'App', type, grant_types: ['authorization_code', 'refresh_token'] },
        ...{ redirect_uris: [redirect_uri], allowed_scopes: SCOPES },
      });
      return { id: client.id, secret: client.client_secret, redirect_uri, scopes: SCOPES };
    },
    /** Returns a token of the same connection that expired a minute ago. */
    expired(access_token: string): Promise<string> {
      const past = Math.floor(Date.now() / 1_000) - 60;
      return support.token(connectionOf(access_token), { iat: past - 3_600, exp: past });
    },
    /** Revokes the connection of a token, as the person does on the page of connections. */
    async revoke(access_token: string): Promise<void> {
      const { status } = await ada.person.ask({
        ...{ method: 'DELETE', headers: ada.bearer },
        path: `/api/me/connections/${connectionOf(access_token)}`,
      });
      expect(status).toBe(204);
    },
    async close() {
      await support.close();
      await world.close();
    },
  };
}

const connectionOf = (access_token: string) => decodeJwt(access_token)['cid'] as string;
