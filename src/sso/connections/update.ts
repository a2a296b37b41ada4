import { isDeepStrictEqual } from 'node:util';
import { ConcurrentUpdate } from '../../authz/authz.ts';
import type { SessionPrincipal } from '../../caller/principal.ts';
import type { RequestFacts } from '../../caller/route.ts';
import type { Transaction } from '../../platform/postgres/database.ts';
import { editOf, requireOrganization } from '../change.ts';
import { requirePlan } from '../refusals.ts';
import { dropFlows } from '../sign-in/store.ts';
import { dropTests } from '../testing/store.ts';
import { editIdentification, providerOf } from './configuration.ts';
import type { WritingDependencies } from './dependencies.ts';
import { auditedOf, issuerOf, withoutRepeats } from './record.ts';
import type { ConnectionEdit } from './schema.ts';
import { findConnection, saveConnection } from './store.ts';
import type { ConnectionRow, WrittenConnection } from './store.ts';

/** Creates the function that changes a connection; omitted fields stay unchanged. */
export function createConnectionUpdate({ authz, accounts, guard, seal }: WritingDependencies) {
  /**
   * Ends what rested on the former settings: tests, sign-ins under way, and the links of people at
   * another provider.
   */
  async function endFormer(
    transaction: Transaction,
    before: ConnectionRow,
    after: WrittenConnection,
  ): Promise<void> {
    await dropTests(transaction, before.id);
    await dropFlows(transaction, before.id);
    const isOther = providerOf(before.configuration) !== providerOf(after.configuration);
    if (isOther) await accounts.identities.forget(transaction, issuerOf(before.id));
  }

  return async function update(
    caller: SessionPrincipal,
    stored: ConnectionRow,
    edit: ConnectionEdit,
    request: RequestFacts,
  ): Promise<void> {
    requirePlan(caller);
    const identification = editIdentification(stored, edit);
    const { configuration, attributes } = stored;
    const identifies = !isDeepStrictEqual(identification, { configuration, attributes });
    // A secret that the provider does not accept locks people out, and no test was made with it.
    const changes = identifies || edit.oidc?.client_secret !== undefined;
    const isAdmin = changes && (await guard.isAdmin(caller));
    if (changes) await guard.requireMayChange(stored, isAdmin);
    const written: WrittenConnection = {
      ...{ ...stored, ...identification, name: edit.name ?? stored.name },
      ...(edit.oidc?.client_secret && { secret: seal(stored, edit.oidc.client_secret) }),
      role_ids: edit.role_ids ? [...new Set(edit.role_ids)] : stored.role_ids,
      seats: edit.teams?.map(withoutRepeats) ?? stored.seats,
      ...(identifies && { configured_by: caller.person, may_link: isAdmin }),
    };
    await guard.requireGivable(caller, written, identifies ? { role_ids: [], seats: [] } : stored);
    const { id, organization_id } = stored;
    await authz.edit({
      ...editOf(caller, organization_id, request),
      reason: 'sso_connection.update',
      targets: [{ type: 'sso_connection', id }],
      async work(transaction) {
        await requireOrganization(transaction, organization_id);
        const current = await findConnection(transaction, stored);
        if (!isDeepStrictEqual(current, stored)) throw new ConcurrentUpdate();
        await saveConnection(transaction, written);
        if (changes) await endFormer(transaction, stored, written);
      },
      detail: () => ({
        fields: Object.keys(edit).filter((field) => field !== 'current_password'),
        before: auditedOf(stored),
        after: auditedOf(written),
      }),
    });
  };
}
