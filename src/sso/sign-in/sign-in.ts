import { requireNoError, returningTo, SignInRefused } from '../../accounts/providers/providers.ts';
import type { CallbackResult } from '../../accounts/providers/providers.ts';
import type { Callback } from '../../accounts/providers/schema.ts';
import type { RequestFacts } from '../../caller/route.ts';
import { hashSecret } from '../../platform/secrets.ts';
import { createBegin } from './begin.ts';
import type { SignInDependencies } from './dependencies.ts';
import { createAdmission } from './person.ts';
import { createPostedSignIn } from './posted.ts';
import { createProtocolStep, createRefusal } from './refusal.ts';
import { consumeFlow } from './store.ts';

/** Sign-in at the identity provider of an organization, until the session. */
export function createSignIn(dependencies: SignInDependencies) {
  const {
    database: { pool },
    protocols,
  } = dependencies;
  const admit = createAdmission(dependencies);
  const orRefused = createRefusal(dependencies);
  const protocolStep = createProtocolStep(dependencies);

  return {
    begin: createBegin({ ...dependencies, protocolStep }),
    /** Completes an OpenID Connect sign-in with the provider's redirect. */
    async callback(
      connection_id: string,
      callback: Callback,
      cookie: string | undefined,
      request: RequestFacts,
    ): Promise<CallbackResult> {
      const connection = await protocols.require(connection_id);
      return orRefused(connection, request, async () => {
        const { state } = callback;
        if (cookie === undefined || state === undefined) throw new SignInRefused('expired');
        const flow = await consumeFlow(pool, {
          ...{ connection_id, id_hash: hashSecret(cookie), state_hash: hashSecret(state) },
        });
        if (flow === null) throw new SignInRefused('expired');
        return returningTo(flow.return_path, async () => {
          requireNoError(callback);
          const person = await protocolStep(connection_id, () =>
            protocols.completeOidc(connection, callback, flow),
          );
          return admit({ connection, person, flow, request });
        });
      });
    },
    ...createPostedSignIn({ ...dependencies, admit, orRefused, protocolStep }),
  };
}
