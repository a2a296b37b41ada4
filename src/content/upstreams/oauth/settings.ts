import type { Transaction } from '../../../platform/postgres/database.ts';
import { unprocessable } from '../../../platform/errors/refusal.ts';
import type { OAuthDraft, OAuthEdit, OAuthRecord } from './schema.ts';
import type { Sealed } from './sealed.ts';
import { deleteFlows, deleteSettings, findSettings, saveSettings } from './store.ts';
import type { Settings } from './store.ts';
import { deleteAuthorizations } from './tokens/store.ts';

interface StoredUpstream {
  id: string;
  url: string;
  oauth: OAuthRecord | null;
}

const NO_CLIENT = { client_id: null, client_source: null, client_secret: null } as const;

/** Saves how upstreams are authorized, in the transaction that saves the upstream. */
export function createOAuthSettings(sealed: Sealed) {
  function withClient(upstream_id: string, stored: Settings, edit: OAuthEdit): Settings {
    const { client_id = stored.client_source === 'given' ? stored.client_id : null } = edit;
    if (client_id === null) {
      if (typeof edit.client_secret === 'string') throw clientMissing();
      return edit.client_id === null && stored.client_source === 'given'
        ? { ...stored, ...NO_CLIENT }
        : stored;
    }
    const isStored = stored.client_source === 'given' && stored.client_id === client_id;
    const keepsSecret = isStored && edit.client_secret === undefined;
    const client_secret = keepsSecret
      ? stored.client_secret
      : sealed.sealClient(upstream_id, { client_id, client_secret: edit.client_secret ?? null });
    return { ...stored, client_id, client_source: 'given', client_secret };
  }

  return {
    async add(transaction: Transaction, upstream_id: string, draft: OAuthDraft): Promise<void> {
      const { connection, scopes } = draft;
      const empty: Settings = { connection, scopes, issuer: null, ...NO_CLIENT };
      await saveSettings(transaction, upstream_id, withClient(upstream_id, empty, draft));
    },

    /**
     * Applies an edit; null removes OAuth. Another address ends all authorizations, and at another
     * origin the client and the approved authorization server are lost too, so that no secret can be
     * redirected. What people began under other settings cannot be completed: they agreed to connect
     * their own account, not one that all share.
     */
    async change(
      transaction: Transaction,
      { id, url, oauth }: StoredUpstream,
      next: { url: string; oauth: OAuthEdit | null | undefined },
    ): Promise<void> {
      const stored = oauth === null ? null : await findSettings(transaction, id);
      if (next.oauth === null || (next.oauth === undefined && stored === null)) {
        if (stored === null) return;
        await deleteSettings(transaction, id);
        await deleteFlows(transaction, id);
        await deleteAuthorizations(transaction, { upstream_id: id });
        return;
      }
      const edit = next.oauth ?? {};
      const isSameOrigin = new URL(url).origin === new URL(next.url).origin;
      const base: Settings =
        stored !== null && isSameOrigin
          ? stored
          : { connection: 'shared', scopes: [], ...stored, issuer: null, ...NO_CLIENT };
      const { connection = base.connection, scopes = base.scopes } = edit;
      await saveSettings(transaction, id, { ...withClient(id, base, edit), connection, scopes });
      if (url !== next.url || next.oauth !== undefined) await deleteFlows(transaction, id);
      if (url === next.url && connection === stored?.connection) return;
      await deleteAuthorizations(transaction, { upstream_id: id });
    },

    /**
     * Approves another authorization server; what belongs to the one before is lost. Returns false
     * without OAuth.
     */
    async approve(transaction: Transaction, upstream_id: string, issuer: string): Promise<boolean> {
      const stored = await findSettings(transaction, upstream_id);
      if (stored === null) return false;
      if (stored.issuer === issuer) return true;
      const client = stored.issuer === null ? {} : NO_CLIENT;
      await saveSettings(transaction, upstream_id, { ...stored, ...client, issuer });
      await deleteFlows(transaction, upstream_id);
      await deleteAuthorizations(transaction, { upstream_id });
      return true;
    },
  };
}
export type OAuthSettings = ReturnType<typeof createOAuthSettings>;

const clientMissing = () =>
  unprocessable('upstream_client_missing', 'Set `oauth.client_id` together with its secret.', {
    detail: { pointer: '/oauth/client_id' },
  });
