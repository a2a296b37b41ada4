import type { KoaContextWithOIDC } from 'oidc-provider';
import { systemAuthority } from '../../caller/actor.ts';
import { asRefusal } from '../../platform/errors/outage.ts';
import type { ServerDependencies, ServerParts } from './dependencies.ts';
import { showPage } from './error-page.ts';
import { currentExchange } from './exchange.ts';
import { consumeArtifact, saveArtifact } from './store.ts';

/** A code or refresh token that another request has consumed. */
class Reused extends Error {}
/** A connection that was revoked while its token was issued. */
class Revoked extends Error {}

/**
 * Ends a request that oidc-provider has answered: writes what a token response promises in one
 * transaction, or revokes a connection. Its result replaces the response where they disagree.
 */
export async function settle(parts: ServerParts, ctx: KoaContextWithOIDC): Promise<void> {
  const exchange = currentExchange();
  try {
    if (ctx.status === 200 && exchange.connection_id !== null)
      await issue(parts, ctx, exchange.connection_id);
  } catch (error) {
    if (!(error instanceof Reused) && !(error instanceof Revoked)) throw error;
    respond(ctx, 400, 'invalid_grant', 'grant request is invalid');
    parts.log.info(
      { client_id: exchange.client?.id, connection_id: exchange.connection_id },
      error.message,
    );
    if (error instanceof Reused) exchange.revoked_id = exchange.connection_id;
  }
  // After the rollback: what others hold for the same connection is revoked in its own change.
  if (exchange.revoked_id === null) return;
  // At any other endpoint, what it sent was used before.
  const isRequested = ctx.path === '/oauth/revoke';
  const reason = isRequested ? 'connection.revoke' : 'connection.replay';
  await parts.connections.revoke([exchange.revoked_id], systemAuthority, reason);
}

function issue(
  { database, connections, refreshTokens }: ServerParts,
  { oidc, body }: KoaContextWithOIDC,
  connection_id: string,
): Promise<void> {
  const { consumed, saved } = currentExchange();
  const { grant_type, refresh_token } = oidc.params ?? {};
  return database.transaction(async (transaction) => {
    // Locks the connection, so that its revocation comes entirely before or after.
    if (!(await connections.activate(connection_id, transaction)))
      throw new Revoked('the connection was revoked while a token was issued for it');
    if (consumed !== null && !(await consumeArtifact(transaction, consumed)))
      throw new Reused(`${consumed.model} was used again; its connection is revoked`);
    if (grant_type === 'refresh_token') {
      const successor = await refreshTokens.use(transaction, refresh_token as string);
      if (successor === null)
        throw new Reused('RefreshToken was used again; its connection is revoked');
      (body as { refresh_token: string }).refresh_token = successor;
    }
    for (const artifact of saved) await saveArtifact(transaction, artifact);
  });
}

/** Replaces the response by an outage's 503, or by a 500 without details. */
export function respondToFailure(
  { log }: Pick<ServerDependencies, 'log'>,
  ctx: KoaContextWithOIDC,
  failure: unknown,
): void {
  const refusal = asRefusal(failure);
  if (refusal?.kind === 'unavailable') {
    log.warn({ err: failure }, 'OAuth request refused with 503: a backing service is unavailable');
    ctx.set('retry-after', '1');
    return fail(ctx, 503, 'temporarily_unavailable', 'Try again shortly.');
  }
  log.error({ err: failure }, 'OAuth request failed with an internal error');
  fail(ctx, 500, 'server_error', 'Internal error. Try again later.');
}

/** An authorization request is sent by a person's browser, which gets a page. */
function fail(ctx: KoaContextWithOIDC, status: number, error: string, description: string): void {
  respond(ctx, status, error, description);
  if (!ctx.path.startsWith('/oauth/authorize')) return;
  ctx.remove('location');
  showPage(ctx, 'unavailable');
}

function respond(
  ctx: KoaContextWithOIDC,
  status: number,
  error: string,
  error_description: string,
): void {
  ctx.status = status;
  ctx.body = { error, error_description };
}
