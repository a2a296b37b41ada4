import * as client from 'openid-client';
import type { CustomFetch } from 'openid-client';
import { configure } from '../client.ts';
import type { Sealed, Tokens } from '../sealed.ts';
import type { AuthorizationRow } from './store.ts';

/** Authorizations of one upstream that are revoked one after the other. */
const MAX_REVOKED = 200;

/**
 * Creates the revocation of tokens at their authorization server (RFC 7009). They are deleted here
 * already, so a failure is not reported: the tokens then expire by themselves.
 */
export function createRevocation({ sealed, fetch }: { sealed: Sealed; fetch: CustomFetch }) {
  async function revoke(row: Pick<AuthorizationRow, 'server'>, tokens: Tokens): Promise<void> {
    if (row.server.revocation_endpoint === undefined) return;
    const configuration = configure(row.server, tokens, fetch);
    try {
      // Ends the access token too, except at a server that lets it expire.
      await client.tokenRevocation(configuration, tokens.refresh_token ?? tokens.access_token);
    } catch {
      return;
    }
  }

  return {
    revoke,
    /** Revokes deleted authorizations; nobody waits for it. */
    async revokeAll(rows: readonly AuthorizationRow[]): Promise<void> {
      for (const row of rows.slice(0, MAX_REVOKED)) {
        if (row.sealed === null) continue;
        try {
          await revoke(row, sealed.unsealTokens(row, row.sealed));
        } catch {
          // Its key is lost, or it is damaged: nothing can be revoked.
        }
      }
    },
  };
}
export type Revocation = ReturnType<typeof createRevocation>;
