import type { Authz } from '../authz/authz.ts';
import { authorityOf } from '../caller/actor.ts';
import type { PersonalPrincipal } from '../caller/principal.ts';
import type { RequestFacts } from '../caller/route.ts';
import type { Queryable, Database } from '../platform/postgres/database.ts';
import type { AccountSettings, SettingsEdit } from './schema.ts';
import { findSettings, saveSettings } from './store.ts';

/** Reads and updates an account's call logging; changes take effect on the next request. */
export function createSettings({
  database,
  authz,
}: {
  database: Pick<Database, 'pool'>;
  authz: Pick<Authz, 'edit'>;
}) {
  async function read(db: Queryable, account_id: string): Promise<AccountSettings> {
    const row = await findSettings(db, account_id);
    return { call_audit: { arguments: row?.audit_arguments ?? false } };
  }

  async function update(caller: PersonalPrincipal, edit: SettingsEdit, request: RequestFacts) {
    const { person: id } = caller;
    const audit_arguments = edit.call_audit?.arguments;
    if (audit_arguments === undefined) return read(database.pool, id);
    const saved: AccountSettings = { call_audit: { arguments: audit_arguments } };
    await authz.edit({
      ...authorityOf(caller, request),
      reason: 'settings.update',
      writes: [{ kind: 'account', id }],
      targets: [{ type: 'account', id }],
      detail: () => ({ ...saved }),
      work: (transaction) => saveSettings(transaction, id, { audit_arguments }),
    });
    return saved;
  }

  return {
    settings: ({ person }: PersonalPrincipal) => read(database.pool, person),
    update,
    /** Used by the account export. */
    exportOf: read,
  };
}
