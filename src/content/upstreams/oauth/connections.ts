import type { Authz } from '../../../authz/authz.ts';
import type { Authority } from '../../../caller/actor.ts';
import type { SessionPrincipal } from '../../../caller/principal.ts';
import { permissionDenied } from '../../../caller/refusals.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import { absent } from '../../../platform/errors/refusal.ts';
import { scopeOf } from '../../spaces/space.ts';
import type { Space } from '../../spaces/space.ts';
import { findUpstream } from '../store.ts';
import type { UpstreamRow } from '../store.ts';
import type { ConnectionRecord, OAuthRecord } from './schema.ts';
import type { OAuthSettings } from './settings.ts';
import { findShown, deleteAuthorizations } from './tokens/store.ts';

/** Whether the caller may change the upstream, and so the connection that its space shares. */
export type MayManage = () => Promise<boolean>;

type OAuthUpstream = UpstreamRow & { oauth: OAuthRecord };

export interface ConnectionsDependencies {
  pool: Queryable;
  authz: Pick<Authz, 'edit'>;
  settings: Pick<OAuthSettings, 'approve'>;
  /** Revokes what was deleted, after the commit. */
  revokeSoon(): void;
}

/** Shows and ends connections to upstreams, and approves their authorization servers. */
export function createConnections({ pool, authz, settings, revokeSoon }: ConnectionsDependencies) {
  /** Throws 404 unless the space has this upstream, and it is authorized with OAuth. */
  async function get(space_id: string, id: string): Promise<OAuthUpstream> {
    const row = await findUpstream(pool, { space_id, id });
    if (row?.oauth == null) throw absent('the space has no such upstream with OAuth');
    return { ...row, oauth: row.oauth };
  }

  /** Throws 403 if the connection is the space's, and the caller may not change the upstream. */
  async function getConnectable(space: Space, id: string, mayManage: MayManage) {
    const row = await get(space.id, id);
    if (row.oauth.connection === 'shared' && !(await mayManage()))
      throw permissionDenied('tools_update');
    return row;
  }

  return {
    get,
    getConnectable,

    /** Returns the connection of the space, or of the caller. */
    async connection(
      caller: SessionPrincipal,
      space_id: string,
      id: string,
      mayManage: MayManage,
    ): Promise<ConnectionRecord> {
      const row = await get(space_id, id);
      const shown = await findShown(pool, holderOf(row, caller));
      const isCurrent = shown?.url === row.url;
      const may_connect = row.oauth.connection === 'each_person' || (await mayManage());
      return recordOf(row, isCurrent ? shown : null, may_connect);
    },

    /** Deletes the tokens, which are then revoked at the authorization server. */
    async disconnect(
      caller: SessionPrincipal,
      { space, id }: { space: Space; id: string },
      { mayManage, authority }: { mayManage: MayManage; authority: Authority },
    ): Promise<void> {
      const row = await getConnectable(space, id, mayManage);
      if ((await findShown(pool, holderOf(row, caller))) === null) return;
      const { connection } = row.oauth;
      await authz.edit({
        ...editOf(space, id, authority),
        reason: 'upstream.disconnect',
        work: (transaction) => deleteAuthorizations(transaction, holderOf(row, caller)),
        detail: () => ({ connection }),
      });
      revokeSoon();
    },

    /** Approves the authorization server that an upstream names now. */
    async approveIssuer(
      { space, id, issuer }: { space: Space; id: string; issuer: string },
      authority: Authority,
    ): Promise<void> {
      const { oauth } = await get(space.id, id);
      await authz.edit({
        ...editOf(space, id, authority),
        reason: 'upstream.approve_issuer',
        async work(transaction) {
          if (!(await settings.approve(transaction, id, issuer)))
            throw absent('the upstream has no OAuth any more');
        },
        detail: () => ({ before: { issuer: oauth.issuer }, after: { issuer } }),
      });
      revokeSoon();
    },
  };
}

const editOf = (space: Space, id: string, authority: Authority) => ({
  ...authority,
  writes: [scopeOf(space)] as const,
  targets: [{ type: 'upstream', id }],
});

const holderOf = ({ id, oauth }: OAuthUpstream, { person }: SessionPrincipal) => ({
  upstream_id: id,
  holder_id: oauth.connection === 'shared' ? id : person,
});

function recordOf(
  { id, name, url, oauth }: OAuthUpstream,
  shown: Awaited<ReturnType<typeof findShown>>,
  may_connect: boolean,
): ConnectionRecord {
  const { origin, pathname } = new URL(url);
  return {
    // Not the query of the address, which may contain a token.
    upstream: { id, name, url: `${origin}${pathname}` },
    connection: oauth.connection,
    state: shown === null ? 'not_connected' : shown.is_ended ? 'ended' : 'connected',
    account: shown?.account ?? null,
    scopes: shown?.scopes ?? [],
    connected_by: shown?.connected_by ?? null,
    connected_by_email: may_connect ? (shown?.connected_by_email ?? null) : null,
    connected_at: shown?.connected_at ?? null,
    refreshed_at: shown?.refreshed_at ?? null,
    issuer: oauth.issuer,
    may_connect,
  };
}
