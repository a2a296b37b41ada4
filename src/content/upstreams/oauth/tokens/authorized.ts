import { ToolFailure } from '../../../../catalog/catalog.ts';
import { upstreamFailure } from '../../failure.ts';
import { asAuthorizationFailure } from '../failure.ts';
import type { CalledRow } from '../../store.ts';
import type { Sealed } from '../sealed.ts';
import type { Refresh } from './refresh.ts';
import { AuthorizationMissing } from './required.ts';
import type { MissingAt } from './required.ts';
import type { AuthorizationRow } from './store.ts';

/** What is sent to an upstream for one holder. */
export interface Authorized {
  authorization: string;
  /** Changes with the holder and with each token: a connection serves one only. */
  key: string;
}

export interface AuthorizedDependencies {
  sealed: Sealed;
  refresh: Refresh;
  authorizationRequired(missing: MissingAt): Promise<ToolFailure>;
}

/** Creates the function that runs a call with the token of its holder. */
export function createAuthorized({
  sealed,
  refresh,
  authorizationRequired,
}: AuthorizedDependencies) {
  const bearerOf = (row: AuthorizationRow): Authorized => ({
    authorization: `Bearer ${sealed.unsealTokens(row, row.sealed!).access_token}`,
    key: `${row.id} ${row.generation}`,
  });

  /**
   * After a 401, which says that nothing was executed, tries once more with a new token; if the
   * upstream refuses that too, the authorization has ended.
   */
  async function attempt<T>(
    row: AuthorizationRow,
    work: (authorized: Authorized) => Promise<T>,
  ): Promise<T> {
    const first = await refresh.usable(row);
    try {
      return await work(bearerOf(first));
    } catch (error) {
      if (!isUnauthorized(error)) throw error;
    }
    const renewed = await refresh.refresh(first);
    try {
      return await work(bearerOf(renewed));
    } catch (error) {
      if (!isUnauthorized(error)) throw error;
      return refresh.end(renewed);
    }
  }

  /** Rejects with `ToolFailure`: `upstream_authorization_required` says where a person connects. */
  return async function runAuthorized<T>(
    called: CalledRow,
    person: string | null,
    work: (authorized: Authorized) => Promise<T>,
  ): Promise<T> {
    const { id: upstream_id, space_id, name, oauth, authorization, sealed: text } = called;
    try {
      if (authorization === null || text === null) throw new AuthorizationMissing();
      return await attempt({ ...authorization, sealed: text }, work);
    } catch (error) {
      if (error instanceof AuthorizationMissing) {
        const { connection } = oauth!;
        throw await authorizationRequired({ upstream_id, space_id, name, connection, person });
      }
      const refused = asAuthorizationFailure(error);
      if (error instanceof ToolFailure || refused === null) throw error;
      throw upstreamFailure(`could not be called. ${refused.message}`);
    }
  };
}

const isUnauthorized = (error: unknown) =>
  error instanceof ToolFailure &&
  error.code === 'upstream_error' &&
  error.details?.['status'] === 401;
