import type { SessionPrincipal } from '../../caller/principal.ts';
import type { RequestFacts } from '../../caller/route.ts';
import { newId } from '../../platform/ids.ts';
import { unprocessable } from '../../platform/errors/refusal.ts';
import type { AccountsParts } from '../dependencies.ts';
import type { ChangeFactors } from '../second-factor/change.ts';
import type { Ceremony } from './ceremony.ts';
import type { NewPasskey, Passkey } from './schema.ts';
import { insertPasskey, listPasskeys } from './store.ts';

const MAX_PASSKEYS = 20;

interface AddedPasskey {
  passkey: Passkey;
  recovery_codes: string[] | null;
}

export interface PasskeyParts extends AccountsParts {
  changeFactors: ChangeFactors;
  ceremony: Ceremony;
}

const flowOf = ({ credential }: SessionPrincipal) => `register:${credential.id}`;

/** Sets up a passkey in two steps of one session. */
export function createNewPasskey(parts: PasskeyParts) {
  const { changeFactors, ceremony } = parts;

  /** The challenge carries the reauthentication over to `create` in the same session. */
  async function options(caller: SessionPrincipal) {
    const { person: id, email } = caller;
    return ceremony.registrationOptions(flowOf(caller), { id, name: email || id });
  }

  async function create(caller: SessionPrincipal, body: NewPasskey, request: RequestFacts) {
    return request.once<AddedPasskey>(async (save) => {
      const { person: account_id } = caller;
      const credential = await ceremony.register(flowOf(caller), body.response);
      if (credential === null) throw passkeyInvalid();
      const id = newId();
      let passkey = null as Passkey | null;
      const recovery_codes = await changeFactors({
        caller,
        request,
        reauthentication: null,
        action: 'passkey.create',
        units: [{ type: 'passkey', id }],
        async work(transaction) {
          if ((await listPasskeys(transaction, account_id)).length >= MAX_PASSKEYS)
            throw tooManyPasskeys();
          passkey = await insertPasskey(transaction, {
            id,
            account_id,
            credential_id: credential.id,
            public_key: Buffer.from(credential.publicKey),
            counter: credential.counter,
            transports: body.response.response.transports ?? [],
            name: body.name,
          });
          // A credential of another account gets the same error as an invalid one.
          if (passkey === null) throw passkeyInvalid();
        },
        // Not null here: otherwise `work` would have thrown.
        onChanged: (transaction, codes) =>
          save(transaction, { passkey: passkey!, recovery_codes: codes }),
      });
      return { passkey: passkey!, recovery_codes };
    });
  }

  return { options, create };
}

const passkeyInvalid = () =>
  unprocessable('passkey_invalid', 'This passkey was not accepted. Start again.', {
    detail: { pointer: '/response' },
  });
const tooManyPasskeys = () =>
  unprocessable(
    'limit_reached',
    `An account can have at most ${MAX_PASSKEYS} passkeys. Remove one first.`,
  );
