import { serviceProviderOf } from '../service-provider.ts';
import type { ConnectionRecord } from './schema.ts';
import { providerOf } from './configuration.ts';
import type { ConnectionRow, Seat, WrittenConnection } from './store.ts';

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

/** The issuer of identities that were asserted through a connection. */
export const issuerOf = (connection_id: string): string => `sso:${connection_id}`;

/** Returns a connection's details for the audit log. */
export const auditedOf = ({ name, configuration, role_ids, seats }: WrittenConnection) => ({
  ...{ name, protocol: configuration.protocol, provider: providerOf(configuration) },
  ...{ role_ids, teams: seats },
});

/** Returns a seat with each role once. */
export const withoutRepeats = ({ team_id, role_ids }: Seat): Seat => ({
  team_id,
  role_ids: [...new Set(role_ids)],
});
