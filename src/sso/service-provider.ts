import type { ServiceProvider } from './protocol.ts';

/** Returns what to register at the identity provider of a connection. */
export function serviceProviderOf(publicUrl: string, connection_id: string): ServiceProvider {
  const base = `${publicUrl}/api/auth/sso/${connection_id}`;
  return {
    entity_id: `${base}/metadata`,
    acs_url: `${base}/acs`,
    callback_url: `${base}/callback`,
    metadata_url: `${base}/metadata`,
  };
}
