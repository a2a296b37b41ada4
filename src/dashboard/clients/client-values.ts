import { capabilities, scopeOfCapability } from '../../authz/permissions.ts';
import type { ClientEdit, ClientRecord } from '../../oauth/clients/schema.ts';
import type { NewClient } from './clients.ts';

/** What the form of an OAuth client holds. */
export type ClientValues = {
  name: string;
  type: ClientRecord['type'];
  /** One address on each line. */
  redirect_uris: string;
  allowed_scopes: string[];
  /** Whether it stays connected without asking again. */
  refreshes: boolean;
  require_pkce: boolean;
};

/** A client that uses all that an agent can, and manages nothing. */
export const emptyClient = (): ClientValues => ({
  name: '',
  type: 'public',
  redirect_uris: '',
  allowed_scopes: capabilities.map(scopeOfCapability),
  refreshes: true,
  require_pkce: true,
});

export const valuesOfClient = (client: ClientRecord): ClientValues => ({
  name: client.name,
  type: client.type,
  redirect_uris: client.redirect_uris.join('\n'),
  allowed_scopes: client.allowed_scopes,
  refreshes: client.grant_types.includes('refresh_token'),
  require_pkce: client.require_pkce,
});

/** Returns what is sent for these values; a public client always uses PKCE. */
export const clientDraftOf = (values: ClientValues) =>
  ({
    name: values.name,
    type: values.type,
    grant_types: values.refreshes
      ? ['authorization_code', 'refresh_token']
      : ['authorization_code'],
    redirect_uris: values.redirect_uris
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== ''),
    allowed_scopes: values.allowed_scopes,
    require_pkce: values.type === 'public' || values.require_pkce,
  }) satisfies NewClient;

/** Returns only what differs from the saved client, which is all that a PATCH sends. */
export function clientEditOf(client: ClientRecord, values: ClientValues): ClientEdit {
  const { type: _, ...before } = clientDraftOf(valuesOfClient(client));
  const { type: __, ...after } = clientDraftOf(values);
  return Object.fromEntries(
    Object.entries(after).filter(
      ([field, value]) =>
        JSON.stringify(value) !== JSON.stringify(before[field as keyof typeof before]),
    ),
  );
}
