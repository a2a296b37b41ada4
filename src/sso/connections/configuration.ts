import { malformed } from '../../platform/errors/refusal.ts';
import { readProvider, readProviderMetadata } from '../saml/provider-metadata.ts';
import type {
  ConnectionAttributes,
  ConnectionConfiguration,
  ConnectionDraft,
  ConnectionEdit,
  SamlDraft,
} from './schema.ts';
import type { ConnectionRow } from './store.ts';

/** What decides how a connection identifies people. */
export interface Identification {
  configuration: ConnectionConfiguration;
  attributes: ConnectionAttributes;
}

const NO_ATTRIBUTES: ConnectionAttributes = { email: null, first_name: null, last_name: null };

/** Reads the settings of a new connection; throws 422 if the provider's are not usable. */
export function identificationOf(draft: ConnectionDraft): Identification {
  const attributes = editAttributes(NO_ATTRIBUTES, draft.attributes);
  if (draft.protocol === 'saml') return { configuration: readSaml(draft.saml), attributes };
  const { issuer, client_id } = draft.oidc;
  return { configuration: { protocol: 'oidc', issuer, client_id }, attributes };
}

/** Applies an edit to the settings of a connection. The protocol of a connection is fixed. */
export function editIdentification(
  { configuration, attributes }: ConnectionRow,
  edit: ConnectionEdit,
): Identification {
  const other = configuration.protocol === 'oidc' ? 'saml' : 'oidc';
  if (edit[other] !== undefined)
    throw malformed(
      'invalid_body',
      `must not be sent: the protocol of this connection is ${configuration.protocol}`,
      {
        detail: { pointer: `/${other}` },
      },
    );
  return {
    configuration: editConfiguration(configuration, edit),
    attributes: editAttributes(attributes, edit.attributes),
  };
}

const editAttributes = (
  stored: ConnectionAttributes,
  {
    email = stored.email,
    first_name = stored.first_name,
    last_name = stored.last_name,
  }: NonNullable<ConnectionEdit['attributes']> = {},
): ConnectionAttributes => ({ email, first_name, last_name });

function editConfiguration(
  stored: ConnectionConfiguration,
  { oidc, saml }: ConnectionEdit,
): ConnectionConfiguration {
  if (stored.protocol === 'saml')
    return saml === undefined
      ? stored
      : readSaml({ response_signed: stored.response_signed, ...saml });
  return {
    protocol: 'oidc',
    issuer: oidc?.issuer ?? stored.issuer,
    client_id: oidc?.client_id ?? stored.client_id,
  };
}

function readSaml({
  metadata,
  response_signed = true,
  ...fields
}: SamlDraft): ConnectionConfiguration {
  const { entity_id = '', sign_in_url = '', certificates = [] } = fields;
  const { certificates: read, ...provider } =
    metadata === undefined
      ? readProvider({ entity_id, sign_in_url, certificates })
      : readProviderMetadata(metadata);
  return { protocol: 'saml', ...provider, certificates: [...read], response_signed };
}

/** Returns the provider's own name for itself: with another one, its people are other people. */
export const providerOf = (configuration: ConnectionConfiguration): string =>
  configuration.protocol === 'oidc' ? configuration.issuer : configuration.entity_id;
