import { returningTo, SignInRefused } from '../../accounts/providers/providers.ts';
import type { CallbackResult } from '../../accounts/providers/providers.ts';
import type { RequestFacts } from '../../caller/route.ts';
import { isRefusal } from '../../platform/errors/refusal.ts';
import { useOnce } from '../../platform/postgres/used-once.ts';
import { hashSecret, newToken } from '../../platform/secrets.ts';
import type { SignInDependencies } from './dependencies.ts';
import type { createAdmission } from './person.ts';
import type { OrRefused, ProtocolStep } from './refusal.ts';
import { claimFlow, consumeHandle, releaseFlow, savePerson } from './store.ts';

/** A SAML response as it was posted. */
interface PostedResponse {
  connection_id: string;
  /** RelayState. */
  state: string | undefined;
  /** SAMLResponse. */
  response: string | undefined;
}

/** What the browser comes back with after its response was received. */
interface ReceivedHandle {
  connection_id: string;
  handle: string | undefined;
  /** The flow cookie. */
  cookie: string | undefined;
}

type PostedDependencies = Pick<SignInDependencies, 'database' | 'config' | 'protocols'> & {
  admit: ReturnType<typeof createAdmission>;
  orRefused: OrRefused;
  protocolStep: ProtocolStep;
};

/** Sign-in with responses that the browser posts from the provider's site (SAML). */
export function createPostedSignIn({
  database,
  config,
  protocols,
  admit,
  orRefused,
  protocolStep,
}: PostedDependencies) {
  const { pool } = database;
  return {
    /**
     * Receives a SAML response, which was posted from another site, so that no cookie came with it.
     * The browser then comes to `finish` with a handle and the cookie. One response to a flow counts.
     */
    async receive(
      { connection_id, state, response }: PostedResponse,
      request: RequestFacts,
    ): Promise<CallbackResult> {
      const connection = await protocols.require(connection_id);
      return orRefused(connection, request, async () => {
        if (state === undefined || response === undefined) throw new SignInRefused('expired');
        const handle = newToken();
        const key = {
          ...{ connection_id, state_hash: hashSecret(state), handle_hash: hashSecret(handle) },
        };
        const flow = await claimFlow(pool, key);
        if (flow === null) throw new SignInRefused('expired');
        const { used_once, ...person } = await returningTo(flow.return_path, () =>
          protocolStep(connection_id, () =>
            protocols.completeSaml(connection, { SAMLResponse: response }, flow),
          ),
        ).catch(async (error: unknown) => {
          if (isRefusal(error)) await releaseFlow(pool, key);
          throw error;
        });
        await database.transaction(async (transaction) => {
          if (used_once && !(await useOnce(transaction, { kind: 'saml_assertion', ...used_once })))
            throw new SignInRefused('failed');
          if (!(await savePerson(transaction, { ...key, person })))
            throw new SignInRefused('expired');
        });
        const base = `${config.PUBLIC_URL}/api/auth/sso/${connection_id}`;
        return { location: `${base}/finish?handle=${handle}`, signedIn: null };
      });
    },
    /** Completes the sign-in whose response was received. */
    async finish(
      { connection_id, handle, cookie }: ReceivedHandle,
      request: RequestFacts,
    ): Promise<CallbackResult> {
      const connection = await protocols.require(connection_id);
      return orRefused(connection, request, async () => {
        if (cookie === undefined || handle === undefined) throw new SignInRefused('expired');
        const flow = await consumeHandle(pool, {
          ...{ connection_id, id_hash: hashSecret(cookie), handle_hash: hashSecret(handle) },
        });
        if (flow === null) throw new SignInRefused('expired');
        return returningTo(flow.return_path, () =>
          admit({ connection, person: flow.person, flow, request }),
        );
      });
    },
  };
}
