import { serviceProviderOf } from '../service-provider.ts';
import type { ConnectionRecord } from './schema.ts';
import type { ConnectionRow } from './store.ts';

/** Returns a connection as administrators see it, without its secret. */
export function recordOf(row: ConnectionRow, publicUrl: string): ConnectionRecord {
  const { id, name, configuration, attributes, role_ids, seats, created_at } = row;
  const { protocol, ...settings } = configuration;
  return {
    ...{ id, name, protocol },
    oidc: 'issuer' in settings ? settings : null,
    saml: 'entity_id' in settings ? settings : null,
    ...{ attributes, role_ids, teams: seats },
    service_provider: serviceProviderOf(publicUrl, id),
    created_at,
  };
}
