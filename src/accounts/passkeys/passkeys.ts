import { actorOf } from '../../caller/actor.ts';
import type { SessionPrincipal } from '../../caller/principal.ts';
import type { Reauthentication, RequestFacts } from '../../caller/route.ts';
import { absent } from '../../platform/errors/refusal.ts';
import { requireSignInMethod } from '../refusals.ts';
import { requireOwnProof } from '../sso-access/own-proof.ts';
import type { PasskeyParts } from './new-passkey.ts';
import { createNewPasskey } from './new-passkey.ts';
import { dropPasskey, listPasskeys, renamePasskey } from './store.ts';

/** Manages an account's passkeys; each is a second factor and also signs in without a password. */
export function createPasskeys(parts: PasskeyParts) {
  const { database, audit, changeFactors } = parts;

  /** Throws 404 unless the account has this passkey. */
  async function requirePasskey({ person }: SessionPrincipal, id: string): Promise<void> {
    const passkeys = await listPasskeys(database.pool, person);
    if (!passkeys.some((passkey) => passkey.id === id)) throw noSuchPasskey();
  }

  async function rename(caller: SessionPrincipal, id: string, name: string, request: RequestFacts) {
    const { person: account_id } = caller;
    return database.transaction(async (transaction) => {
      const passkey = await renamePasskey(transaction, { id, account_id, name });
      if (passkey === null) throw noSuchPasskey();
      await audit.record(transaction, {
        actor: actorOf(caller, request),
        action: 'passkey.update',
        scope: { kind: 'account', id: account_id },
        units: [{ type: 'passkey', id }],
      });
      return passkey;
    });
  }

  async function remove(
    caller: SessionPrincipal,
    id: string,
    reauthentication: Reauthentication,
    request: RequestFacts,
  ): Promise<void> {
    const { person: account_id } = caller;
    await requirePasskey(caller, id);
    await changeFactors({
      caller,
      request,
      reauthentication,
      action: 'passkey.delete',
      units: [{ type: 'passkey', id }],
      async work(transaction) {
        const added_at = await dropPasskey(transaction, { id, account_id });
        if (added_at === null) throw noSuchPasskey();
        await requireOwnProof(transaction, caller, added_at);
        await requireSignInMethod(transaction, account_id, added_at);
      },
    });
  }

  return {
    ...createNewPasskey(parts),
    requirePasskey,
    rename,
    remove,
    list: ({ person: account_id }: SessionPrincipal) => listPasskeys(database.pool, account_id),
  };
}

const noSuchPasskey = () => absent('this account has no such passkey');
