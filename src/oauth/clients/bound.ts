import { ConcurrentUpdate } from '../../authz/authz.ts';
import { absent } from '../../platform/errors/refusal.ts';
import type { Transaction } from '../../platform/postgres/database.ts';
import { findClient, replaceTeams } from './store.ts';
import type { ClientId, OAuthClient } from './store.ts';

/** Binds an organization's client to exactly these teams; null binds it to none. */
export async function bindToTeams(
  transaction: Transaction,
  { id, owner }: ClientId,
  team_ids: readonly string[] | null,
): Promise<void> {
  if (owner.kind === 'organization')
    await replaceTeams(transaction, { id, organization_id: owner.id }, team_ids);
}

/** Returns a saved client. Throws `ConcurrentUpdate` if one of its teams has been deleted. */
export async function readBound(
  transaction: Transaction,
  client: ClientId,
  team_ids: readonly string[] | null,
): Promise<OAuthClient> {
  const saved = await findClient(transaction, client);
  if (saved === null) throw absent('the client was deleted concurrently');
  const isOfOrganization = client.owner.kind === 'organization';
  if (isOfOrganization && saved.team_ids?.length !== team_ids?.length) throw new ConcurrentUpdate();
  return saved;
}
