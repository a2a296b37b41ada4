import { isIP } from 'node:net';
import { VERSION } from '../../platform/config/version.ts';
import type { AccountsDependencies } from '../dependencies.ts';
import type { Provider } from '../providers/provider.ts';
import type { ServiceInfo } from './schema.ts';
import { hasAnyAccount } from './store.ts';

/** Creates the function that describes the service to pages that are shown before sign-in. */
export function createServiceInfo({
  database,
  config,
  providers,
}: Pick<AccountsDependencies, 'database' | 'config'> & {
  providers: readonly Pick<Provider, 'id' | 'name'>[];
}) {
  const fixed = {
    version: VERSION,
    public_url: config.PUBLIC_URL,
    captcha: { provider: config.CAPTCHA, site_key: config.CAPTCHA_SITE_KEY ?? null },
    providers: providers.map(({ id, name }) => ({ id, name })),
    passkeys: isDomain(new URL(config.DASHBOARD_URL).hostname),
    registration_open: true,
    local_mail_url: config.DEV_MAIL === 'on' ? '/dev/mail' : null,
  };
  // Asked until the answer is yes, which does not change.
  let hasAccounts = false;

  return async function serviceInfo(): Promise<ServiceInfo> {
    hasAccounts ||= await hasAnyAccount(database.pool);
    return { ...fixed, first_run: !hasAccounts };
  };
}

/** Returns whether a host is a name: WebAuthn accepts no address as the owner of a passkey. */
const isDomain = (hostname: string) => isIP(hostname.replaceAll(/^\[|\]$/g, '')) === 0;
