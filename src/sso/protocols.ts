import type { Callback } from '../accounts/providers/schema.ts';
import { SignInRefused } from '../accounts/providers/providers.ts';
import { absent } from '../platform/errors/refusal.ts';
import { isUuid } from '../platform/ids.ts';
import { findConnectionById, ssoSecrets } from './connections/store.ts';
import type { ConnectionRow, SignInConnection } from './connections/store.ts';
import type { SsoDependencies } from './dependencies.ts';
import { createOidc } from './oidc/oidc.ts';
import { createSaml } from './saml/saml.ts';
import type { FlowSecrets, PendingFlow, ProtocolConnection } from './protocol.ts';
import { serviceProviderOf } from './service-provider.ts';

type ProtocolsDependencies = Pick<
  SsoDependencies,
  'database' | 'secrets' | 'outbound' | 'samlWorkers' | 'config' | 'log'
>;

/** The protocols of connections, with the connections that they sign in through. */
export function createProtocols({
  database,
  secrets,
  outbound,
  samlWorkers,
  config,
  log,
}: ProtocolsDependencies) {
  const oidc = createOidc({ outbound });
  const saml = createSaml({ samlWorkers, log });

  /** Returns a connection as its protocol needs it, with its secret decrypted. */
  function open<Protocol extends 'oidc' | 'saml'>(
    row: ConnectionRow,
    protocol: Protocol,
  ): ProtocolConnection<Protocol> {
    const { id, organization_id, configuration, attributes } = row;
    // A response of another protocol than the connection's.
    if (!isOf(configuration, protocol)) throw new SignInRefused('failed');
    return {
      ...{ id, organization_id, configuration, attributes },
      secret: row.secret && secrets.decrypt(ssoSecrets.label, ssoSecrets.ownerOf(row), row.secret),
      service_provider: serviceProviderOf(config.PUBLIC_URL, id),
    };
  }

  async function require(connection_id: string): Promise<SignInConnection> {
    const row = isUuid(connection_id)
      ? await findConnectionById(database.pool, connection_id)
      : null;
    if (row === null) throw absent('no such connection');
    return row;
  }

  return {
    /** Throws 404 unless there is such a connection, of an organization that is not deleted. */
    require,
    /** Throws 404 unless there is such a connection, and it uses SAML. */
    async requireSaml(connection_id: string): Promise<ProtocolConnection<'saml'>> {
      const row = await require(connection_id);
      if (row.configuration.protocol !== 'saml') throw absent('no SAML connection');
      return open(row, 'saml');
    },
    begin: (row: ConnectionRow, flow: FlowSecrets): Promise<URL> =>
      row.configuration.protocol === 'oidc'
        ? oidc.begin(open(row, 'oidc'), flow)
        : saml.begin(open(row, 'saml'), flow),
    completeOidc: (row: ConnectionRow, callback: Callback, flow: PendingFlow) =>
      oidc.complete(open(row, 'oidc'), callback, flow),
    completeSaml: (row: ConnectionRow, response: { SAMLResponse: string }, flow: PendingFlow) =>
      saml.complete(open(row, 'saml'), response, flow),
  };
}
export type Protocols = ReturnType<typeof createProtocols>;

const isOf = <Protocol extends 'oidc' | 'saml'>(
  configuration: ConnectionRow['configuration'],
  protocol: Protocol,
): configuration is Extract<ConnectionRow['configuration'], { protocol: Protocol }> =>
  configuration.protocol === protocol;
