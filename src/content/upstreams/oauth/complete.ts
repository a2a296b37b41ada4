import * as client from 'openid-client';
import type { CustomFetch } from 'openid-client';
import { ConcurrentUpdate } from '../../../authz/authz.ts';
import type { Authz } from '../../../authz/authz.ts';
import type { Authority } from '../../../caller/actor.ts';
import type { SessionPrincipal } from '../../../caller/principal.ts';
import { newId } from '../../../platform/ids.ts';
import type { Queryable, Transaction } from '../../../platform/postgres/database.ts';
import { absent, unprocessable } from '../../../platform/errors/refusal.ts';
import { hashSecret } from '../../../platform/secrets.ts';
import { scopeOf } from '../../spaces/space.ts';
import type { Space } from '../../spaces/space.ts';
import { configure } from './client.ts';
import type { OwnAddresses } from './client.ts';
import { orAuthorizationFailed } from './failure.ts';
import type { AuthorizationResponse, ConnectionKind } from './schema.ts';
import type { Sealed, Tokens } from './sealed.ts';
import { consumeFlow } from './store.ts';
import type { Flow } from './store.ts';
import { readTokens } from './tokens/received.ts';
import type { Revocation } from './tokens/revoke.ts';
import { saveAuthorization, deleteAuthorizations } from './tokens/store.ts';
import type { NewAuthorization } from './tokens/store.ts';

export interface Completed {
  upstream: { id: string; space_id: string; url: string; connection: ConnectionKind };
  response: AuthorizationResponse;
}

/** Decides again who may connect, when authority has changed since. */
export interface ConnectingAuthority {
  authority: Authority;
  renew(): Promise<Authority>;
}

export interface CompleteDependencies {
  pool: Queryable;
  authz: Pick<Authz, 'edit'>;
  sealed: Sealed;
  fetch: CustomFetch;
  own: OwnAddresses;
  revoke: Revocation['revoke'];
  /** Revokes what was replaced, after the commit. */
  revokeSoon(): void;
  /** Throws 404 unless the upstream still has this address, kind of connection and issuer. */
  requireUnchanged(
    transaction: Transaction,
    upstream: Completed['upstream'],
    issuer: string,
  ): Promise<void>;
}

const MAX_ATTEMPTS = 5;

/** Creates the function that redeems the response of an authorization server, once. */
export function createComplete(dependencies: CompleteDependencies) {
  const { pool, sealed, revoke } = dependencies;
  const redeem = createRedeem(dependencies);
  const save = createSave(dependencies);

  return async function complete(
    caller: SessionPrincipal,
    space: Space,
    { upstream, response }: Completed,
    authority: ConnectingAuthority,
  ): Promise<void> {
    const { id: upstream_id, url } = upstream;
    const flow = await consumeFlow(pool, {
      ...{ state_hash: hashSecret(response.state), upstream_id },
      ...{ account_id: caller.person, session_id: caller.credential.id },
    });
    if (flow === null) throw expired();
    if (flow.url !== url) throw absent('the upstream has another address now');
    const { tokens, ...rest } = await orAuthorizationFailed(() => redeem(flow, response));
    const holder_id = upstream.connection === 'shared' ? upstream_id : caller.person;
    const key = { id: newId(), upstream_id, holder_id, url };
    const isOwn = upstream.connection === 'each_person';
    try {
      await save(space, upstream, authority, {
        ...{ ...key, ...rest, server: flow.server, connected_by: caller.person },
        membership_id: isOwn ? membershipOf(caller) : null,
        team_id: isOwn && space.kind === 'team' ? space.team_id : null,
        sealed: sealed.sealTokens(key, tokens),
      });
    } catch (error) {
      void revoke(flow.server, tokens);
      throw error;
    }
  };
}

/** Creates the function that exchanges the code of a response for tokens. */
function createRedeem({
  sealed,
  fetch,
  own,
}: Pick<CompleteDependencies, 'sealed' | 'fetch' | 'own'>) {
  return async function redeem(flow: Flow, response: AuthorizationResponse) {
    const { verifier, ...as } = sealed.unsealFlow(flow.id, flow.sealed);
    const received = await client.authorizationCodeGrant(
      configure(flow.server, as, fetch),
      redirectOf(own.redirect_uri, response),
      { expectedState: response.state, pkceCodeVerifier: verifier },
      { resource: flow.resource },
    );
    const { access_token, refresh_token, scopes, expires_in } = readTokens(received);
    const tokens: Tokens = { ...as, access_token, refresh_token, resource: flow.resource };
    const account = accountOf(received.claims());
    return { tokens, account, scopes: scopes ?? flow.scopes, expires_in };
  };
}

/** Creates the function that saves what was authorized, in place of what was before. */
function createSave({
  authz,
  revokeSoon,
  requireUnchanged,
}: Pick<CompleteDependencies, 'authz' | 'revokeSoon' | 'requireUnchanged'>) {
  /** Saves what was authorized, if the caller still may; decides that again if it has changed. */
  return async function save(
    space: Space,
    upstream: Completed['upstream'],
    { authority, renew }: ConnectingAuthority,
    authorization: NewAuthorization,
  ): Promise<void> {
    for (let attempts = 1; ; attempts += 1)
      try {
        await authz.edit({
          ...(attempts === 1 ? authority : await renew()),
          reason: 'upstream.connect',
          writes: [scopeOf(space)],
          targets: [{ type: 'upstream', id: upstream.id }],
          async work(transaction) {
            await requireUnchanged(transaction, upstream, authorization.server.issuer);
            await deleteAuthorizations(transaction, authorization);
            await saveAuthorization(transaction, authorization);
          },
          detail: () => auditedConnection(upstream, authorization),
        });
        revokeSoon();
        return;
      } catch (error) {
        if (!(error instanceof ConcurrentUpdate) || attempts === MAX_ATTEMPTS) throw error;
      }
  };
}

const expired = () =>
  unprocessable(
    'authorization_expired',
    'This browser did not begin the authorization in the last ten minutes. Connect again.',
  );

/** Rebuilds the URL of the redirect, with only the known parameters. */
function redirectOf(redirect_uri: string, response: AuthorizationResponse): URL {
  const url = new URL(redirect_uri);
  for (const name of ['state', 'code', 'iss', 'error'] as const)
    if (response[name] !== undefined) url.searchParams.set(name, response[name]);
  return url;
}

/** The membership in the organization of the path; a personal space has none. */
const membershipOf = ({ scopes, organization }: SessionPrincipal): string | null =>
  organization === null ? null : (scopes.find(({ kind }) => kind === 'membership')?.id ?? null);

/** Returns what an ID token calls the account; null without one. */
function accountOf(claims: Readonly<Record<string, unknown>> | undefined): string | null {
  const name = ['email', 'preferred_username', 'name', 'sub']
    .map((claim) => claims?.[claim])
    .find((value) => typeof value === 'string' && value !== '');
  return typeof name === 'string' ? name.replaceAll(/[\p{Cc}\p{Cf}]/gu, '').slice(0, 200) : null;
}

const auditedConnection = (
  { connection }: Completed['upstream'],
  { server, scopes }: NewAuthorization,
) => ({ connection, issuer: server.issuer, scopes });
