import {
  codeOf,
  reasonOf,
  refusedPageAt,
  SignInRefused,
} from '../../accounts/providers/providers.ts';
import type { CallbackResult } from '../../accounts/providers/providers.ts';
import type { Callback } from '../../accounts/providers/schema.ts';
import { personActor } from '../../caller/actor.ts';
import type { RequestFacts } from '../../caller/route.ts';
import { useOnce } from '../../platform/postgres/used-once.ts';
import { hashSecret, newToken } from '../../platform/secrets.ts';
import type { SignInConnection } from '../connections/store.ts';
import type { SsoDependencies } from '../dependencies.ts';
import type { AssertedPerson } from '../protocol.ts';
import type { Protocols } from '../protocols.ts';
import { createBegin } from './begin.ts';
import { createAdmission } from './person.ts';
import { claimFlow, consumeFlow, consumeHandle, savePerson } from './store.ts';

export type SignInDependencies = Pick<
  SsoDependencies,
  'database' | 'authz' | 'audit' | 'config' | 'limitForm' | 'accounts' | 'organizations' | 'log'
> & { protocols: Protocols };

/** A SAML response as it was posted. */
export interface PostedResponse {
  connection_id: string;
  /** RelayState. */
  state: string | undefined;
  /** SAMLResponse. */
  response: string | undefined;
}

/** What the browser comes back with after its response was received. */
export interface ReceivedHandle {
  connection_id: string;
  handle: string | undefined;
  /** The flow cookie. */
  cookie: string | undefined;
}

/** Sign-in at the identity provider of an organization, until the session. */
export function createSignIn(dependencies: SignInDependencies) {
  const { database, config, protocols } = dependencies;
  const { pool } = database;
  const refusedPage = refusedPageAt(config.PUBLIC_URL);
  const admit = createAdmission(dependencies);
  const recordRefusal = createRefusalRecord(dependencies);
  const verified = createVerification(dependencies);

  /** Redirects to the page that shows the reason if the work throws `SignInRefused`. */
  async function orRefused(
    connection: SignInConnection,
    request: RequestFacts,
    work: () => Promise<CallbackResult>,
  ): Promise<CallbackResult> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof SignInRefused)) throw error;
      await recordRefusal(connection, error, request);
      return { location: refusedPage(error.reason), signedIn: null };
    }
  }

  return {
    begin: createBegin(dependencies),
    /** Completes an OpenID Connect sign-in with the provider's redirect. */
    async callback(
      connection_id: string,
      callback: Callback,
      cookie: string | undefined,
      request: RequestFacts,
    ): Promise<CallbackResult> {
      const connection = await protocols.require(connection_id);
      return orRefused(connection, request, async () => {
        const { state, error } = callback;
        if (cookie === undefined || state === undefined) throw new SignInRefused('expired');
        const flow = await consumeFlow(pool, {
          ...{ connection_id, id_hash: hashSecret(cookie), state_hash: hashSecret(state) },
        });
        if (flow === null) throw new SignInRefused('expired');
        if (error === 'access_denied') throw new SignInRefused('denied');
        if (error !== undefined) throw new SignInRefused('provider_unavailable');
        const person = await verified(connection_id, () =>
          protocols.completeOidc(connection, callback, flow),
        );
        return admit({ connection, person, flow, request });
      });
    },
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
        const { used_once, ...person } = await verified(connection_id, () =>
          protocols.completeSaml(connection, { SAMLResponse: response }, flow),
        );
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
        return admit({ connection, person: flow.person, flow, request });
      });
    },
  };
}
export type SsoSignIn = ReturnType<typeof createSignIn>;

/** Turns what a protocol throws into the reason that the person is shown. */
const createVerification =
  ({ log }: Pick<SsoDependencies, 'log'>) =>
  async (connection_id: string, verify: () => Promise<AssertedPerson>): Promise<AssertedPerson> => {
    try {
      return await verify();
    } catch (error) {
      if (error instanceof SignInRefused) throw error;
      const reason = reasonOf(error);
      const facts = { connection_id, code: codeOf(error) };
      if (reason === null) log.error({ ...facts, err: error }, 'single sign-on failed');
      else log.warn(facts, 'response of an identity provider rejected');
      throw new SignInRefused(reason ?? 'failed');
    }
  };

/** Reasons that concern the organization's administrators, unlike what the person or an outage ended. */
const RECORDED: ReadonlySet<string> = new Set([
  'failed',
  'outside_domain',
  'account_not_linked',
  'not_joined',
]);

const createRefusalRecord =
  ({ database, audit }: Pick<SsoDependencies, 'database' | 'audit'>) =>
  async (
    { id, organization_id }: SignInConnection,
    { reason, account_id, detail }: SignInRefused,
    request: RequestFacts,
  ): Promise<void> => {
    if (!RECORDED.has(reason)) return;
    await audit.record(database.pool, {
      actor: personActor(account_id, request),
      action: 'session.refuse',
      outcome: 'refused',
      scope: { kind: 'organization', id: organization_id },
      organization_id,
      units: [{ type: 'sso_connection', id }],
      detail: { provider: 'sso', reason, ...(detail === null ? {} : { detail }) },
    });
  };
