import { z } from 'zod';
import type { Secrets } from '../../../platform/secrets.ts';
import type { OAuthClient } from './client.ts';
import { clientSecrets, upstreamFlows } from './store.ts';
import { upstreamTokens } from './tokens/store.ts';
import type { Holder } from './tokens/store.ts';

const Client = z.object({ client_id: z.string(), client_secret: z.string().nullable() });

/** The tokens of an authorization, with the client that they were issued to. */
const Tokens = Client.extend({
  access_token: z.string(),
  refresh_token: z.string().nullable(),
  /** The `resource` parameter of requests. */
  resource: z.string(),
});
export type Tokens = z.infer<typeof Tokens>;

const FlowSecrets = Client.extend({ verifier: z.string() });
export type FlowSecrets = z.infer<typeof FlowSecrets>;

/** Encrypts what authorizations consist of; each can only be decrypted for its own row. */
export const createSealed = (secrets: Pick<Secrets, 'encrypt' | 'decrypt'>) => ({
  sealTokens: (owner: Holder & { id: string; url: string }, tokens: Tokens): Buffer =>
    secrets.encrypt(upstreamTokens.label, upstreamTokens.ownerOf(owner), JSON.stringify(tokens)),
  unsealTokens: (owner: Holder & { id: string; url: string }, sealed: Buffer): Tokens =>
    Tokens.parse(
      JSON.parse(secrets.decrypt(upstreamTokens.label, upstreamTokens.ownerOf(owner), sealed)),
    ),
  sealFlow: (id: string, flow: FlowSecrets): Buffer =>
    secrets.encrypt(upstreamFlows.label, upstreamFlows.ownerOf({ id }), JSON.stringify(flow)),
  unsealFlow: (id: string, sealed: Buffer): FlowSecrets =>
    FlowSecrets.parse(
      JSON.parse(secrets.decrypt(upstreamFlows.label, upstreamFlows.ownerOf({ id }), sealed)),
    ),
  sealClient: (upstream_id: string, { client_id, client_secret }: OAuthClient): Buffer | null =>
    client_secret === null
      ? null
      : secrets.encrypt(
          clientSecrets.label,
          clientSecrets.ownerOf({ upstream_id, client_id }),
          client_secret,
        ),
  unsealClient: (upstream_id: string, client_id: string, sealed: Buffer | null): OAuthClient => ({
    client_id,
    client_secret:
      sealed === null
        ? null
        : secrets.decrypt(
            clientSecrets.label,
            clientSecrets.ownerOf({ upstream_id, client_id }),
            sealed,
          ),
  }),
});
export type Sealed = ReturnType<typeof createSealed>;
