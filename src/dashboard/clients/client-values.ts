import { capabilities, scopeOfCapability } from '../../authz/permissions.ts';
import type { ClientEdit, ClientRecord } from '../../oauth/clients/schema.ts';
import type { NewClient } from './clients.ts';

/** What a client can act for: the people who allow it, and its organization. */
export const ACTORS = ['authorization_code', 'client_credentials'] as const;
type Actor = (typeof ACTORS)[number];

/** What the form of an OAuth client holds. */
export type ClientValues = {
  name: string;
  type: ClientRecord['type'];
  /** Only an organization's confidential client has a choice. */
  grant_types: Actor[];
  /** One address on each line. */
  redirect_uris: string;
  allowed_scopes: string[];
  /** The teams that its connections can be in; null for all. */
  team_ids: string[] | null;
  /** Whether it stays connected without asking again. */
  refreshes: boolean;
  require_pkce: boolean;
};

/** A client that uses all that an agent can, and manages nothing. */
export const emptyClient = (): ClientValues => ({
  name: '',
  type: 'public',
  grant_types: ['authorization_code'],
  redirect_uris: '',
  allowed_scopes: capabilities.map(scopeOfCapability),
  team_ids: null,
  refreshes: true,
  require_pkce: true,
});

/** Returns the form's values of a saved client; a person's is in no team. */
export const valuesOfClient = (client: ClientRecord, isOfPerson: boolean): ClientValues => ({
  name: client.name,
  type: client.type,
  grant_types: ACTORS.filter((one) => client.grant_types.includes(one)),
  redirect_uris: client.redirect_uris.join('\n'),
  allowed_scopes: client.allowed_scopes,
  team_ids: isOfPerson || client.follows_memberships ? null : client.teams.map(({ id }) => id),
  refreshes: client.grant_types.includes('refresh_token'),
  require_pkce: client.require_pkce,
});

/** Whether people sign in with the client, and whether it acts by itself. */
export const signsIn = ({ type, grant_types }: ClientValues): boolean =>
  type === 'public' || grant_types.includes('authorization_code');
export const actsAlone = ({ type, grant_types }: ClientValues): boolean =>
  type === 'confidential' && grant_types.includes('client_credentials');

/** Returns what is sent for these values; a public client always uses PKCE. */
export const clientDraftOf = (values: ClientValues) =>
  ({
    name: values.name,
    type: values.type,
    grant_types: [
      ...(signsIn(values) ? (['authorization_code'] as const) : []),
      ...(signsIn(values) && values.refreshes ? (['refresh_token'] as const) : []),
      ...(actsAlone(values) ? (['client_credentials'] as const) : []),
    ],
    redirect_uris: signsIn(values) ? linesOf(values.redirect_uris) : [],
    allowed_scopes: values.allowed_scopes,
    team_ids: values.team_ids,
    require_pkce: values.type === 'public' || values.require_pkce,
  }) satisfies NewClient;

const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

/** Returns only what differs from the saved values, which is all that a PATCH sends. */
export function clientEditOf(saved: ClientValues, values: ClientValues): ClientEdit {
  const { type: _, ...before } = clientDraftOf(saved);
  const { type: __, ...after } = clientDraftOf(values);
  return Object.fromEntries(
    Object.entries(after).filter(
      ([field, value]) =>
        JSON.stringify(value) !== JSON.stringify(before[field as keyof typeof before]),
    ),
  );
}
