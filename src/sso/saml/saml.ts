import { SignInRefused } from '../../accounts/providers/providers.ts';
import type { Log } from '../../platform/observability/log.ts';
import { hashSecret } from '../../platform/secrets.ts';
import type { SsoProtocol } from '../protocol.ts';
import { SamlRefused } from './refused.ts';
import { signInUrl } from './service-provider.ts';
import { createVerification } from './verification.ts';
import type { VerificationDependencies } from './verification.ts';

export interface SamlDependencies extends VerificationDependencies {
  log: Log;
}

/** Creates the protocol SAML 2.0: Web Browser SSO, with redirect to and POST from the provider. */
export function createSaml({
  log,
  ...dependencies
}: SamlDependencies): SsoProtocol<'saml', { SAMLResponse: string }> {
  const verify = createVerification(dependencies);
  return {
    begin: signInUrl,
    async complete(connection, { SAMLResponse: response }, { request_id, now }) {
      try {
        const posted = { response, request_id, now: new Date(now * 1_000) };
        const { person, assertion_id, expires_at } = await verify(connection, posted);
        return {
          ...person,
          locale: null,
          used_once: {
            hash: hashSecret(`${connection.id} ${assertion_id}`),
            expires_at: expires_at.toISOString(),
          },
        };
      } catch (error) {
        if (!(error instanceof SamlRefused)) throw error;
        log.warn({ connection: connection.id, reason: error.reason }, 'SAML response refused');
        throw new SignInRefused('failed', null, error.reason);
      }
    },
  };
}
