import {
  codeOf,
  reasonOf,
  refusedPageAt,
  SignInRefused,
} from '../../accounts/providers/providers.ts';
import type { CallbackResult } from '../../accounts/providers/providers.ts';
import { personActor } from '../../caller/actor.ts';
import type { RequestFacts } from '../../caller/route.ts';
import { isRefusal } from '../../platform/errors/refusal.ts';
import type { SignInConnection } from '../connections/store.ts';
import type { SsoDependencies } from '../dependencies.ts';

/**
 * Creates the function that runs a step of a sign-in, and redirects to the page that shows the
 * reason if it throws `SignInRefused`.
 */
export function createRefusal(
  dependencies: Pick<SsoDependencies, 'database' | 'audit' | 'config'>,
) {
  const refusedPage = refusedPageAt(dependencies.config.PUBLIC_URL);
  const recordRefusal = createRefusalRecord(dependencies);
  return async function orRefused(
    connection: SignInConnection,
    request: RequestFacts,
    work: () => Promise<CallbackResult>,
  ): Promise<CallbackResult> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof SignInRefused)) throw error;
      await recordRefusal(connection, error, request);
      return { location: refusedPage(error.reason, error.return_path), signedIn: null };
    }
  };
}
export type ProtocolStep = ReturnType<typeof createProtocolStep>;
export type OrRefused = ReturnType<typeof createRefusal>;

/** Turns what a protocol throws into the reason that the person is shown. */
export const createProtocolStep =
  ({ log }: Pick<SsoDependencies, 'log'>) =>
  async <Value>(connection_id: string, step: () => Promise<Value>): Promise<Value> => {
    try {
      return await step();
    } catch (error) {
      // What is unavailable here is not the provider's fault.
      if (error instanceof SignInRefused || isUnavailable(error)) throw error;
      const reason = reasonOf(error);
      const facts = { connection_id, code: codeOf(error) };
      if (reason === null) log.error({ ...facts, err: error }, 'single sign-on failed');
      else log.warn(facts, 'identity provider unreachable, or its response rejected');
      throw new SignInRefused(reason ?? 'failed');
    }
  };

const isUnavailable = (error: unknown) => isRefusal(error) && error.kind === 'unavailable';

/** Reasons that concern the organization's administrators, unlike what the person ended. */
const RECORDED: ReadonlySet<string> = new Set([
  'failed',
  'provider_unavailable',
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
