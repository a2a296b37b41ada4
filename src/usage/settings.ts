import type { Audit } from '../audit/audit.ts';
import { actorOf } from '../caller/actor.ts';
import type { PersonalPrincipal } from '../caller/principal.ts';
import type { RequestFacts } from '../caller/route.ts';
import type { Connection, Database } from '../platform/postgres/database.ts';
import type { AccountSettings, SettingsEdit } from './schema.ts';
import { findSettings, saveSettings } from './store.ts';

/** What an account wants kept of its calls; in force from the next request on. */
export function createSettings({
  database,
  audit,
}: {
  database: Pick<Database, 'pool' | 'transaction'>;
  audit: Pick<Audit, 'record'>;
}) {
  async function read(connection: Connection, account_id: string): Promise<AccountSettings> {
    const row = await findSettings(connection, account_id);
    return { call_audit: { arguments: row?.audit_arguments ?? false } };
  }

  async function update(caller: PersonalPrincipal, edit: SettingsEdit, request: RequestFacts) {
    const { person: id } = caller;
    const audit_arguments = edit.call_audit?.arguments;
    if (audit_arguments === undefined) return read(database.pool, id);
    await database.transaction(async (transaction) => {
      await saveSettings(transaction, id, { audit_arguments });
      await audit.record(transaction, {
        actor: actorOf(caller, request),
        action: 'settings.update',
        scope: { kind: 'account', id },
        units: [{ type: 'account', id }],
        detail: { call_audit: { arguments: audit_arguments } },
      });
    });
    return { call_audit: { arguments: audit_arguments } };
  }

  return {
    settings: ({ person }: PersonalPrincipal) => read(database.pool, person),
    update,
    /** For the export of the account. */
    exportOf: read,
  };
}
