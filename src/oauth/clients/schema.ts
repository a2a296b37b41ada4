import { wholeList } from '../../platform/http/pages.ts';
import { z } from 'zod';
import { scopesIn } from '../../authz/permissions.ts';
import { References } from '../../platform/http/reference.ts';
import { OrganizationId, SHOWN_ONCE } from '../../caller/schema.ts';
import { boundedList } from '../../platform/json/bounded-list.ts';
import { ItemId } from '../../policies/policy.ts';
import { visibleName } from '../../platform/text/visible-name.ts';
import { DefaultAgent } from '../connections/schema.ts';

export const clientTypes = ['confidential', 'public'] as const;

export const grantTypes = ['authorization_code', 'refresh_token', 'client_credentials'] as const;

// Those of an organization's clients include all that a person's can have.
const MAX_SCOPES = scopesIn('organization').size;
const MAX_SCOPE_CHARACTERS = 64;
const MAX_REDIRECT_URIS = 20;
const MAX_URI_CHARACTERS = 2_000;
// As for keys: each adds a check to every MCP request.
const MAX_TEAMS = 50;

const distinct = <Entry extends z.ZodType>(entry: Entry, max: number) =>
  boundedList(entry, max).refine((list) => new Set(list).size === list.length, {
    message: 'must not contain duplicates',
  });

// A scheme, then only the characters that RFC 3986 allows; `URL` would drop or encode others.
const URI = /^[a-z][a-z0-9+.-]*:[\w.~:/?#[\]@!$&'()*+,;=%-]+$/i;

const RedirectUri = z
  .string()
  .max(MAX_URI_CHARACTERS)
  .refine((text) => URI.test(text) && URL.canParse(text), { message: 'must be an absolute URI' });

const fields = {
  name: visibleName(100),
  grant_types: distinct(z.enum(grantTypes), grantTypes.length),
  redirect_uris: distinct(RedirectUri, MAX_REDIRECT_URIS).describe(
    'Compared exactly at authorization; on a loopback host, any port matches.',
  ),
  allowed_scopes: distinct(z.string().max(MAX_SCOPE_CHARACTERS), MAX_SCOPES).describe(
    'The most that a connection can have. The views that a scope implies are added.',
  ),
  require_pkce: z.boolean().describe('Must be true for a public client.'),
  team_ids: distinct(ItemId, MAX_TEAMS).nullable().meta({
    id: 'OAuthClientTeamIds',
    description:
      'Of an organization’s client: the teams that its connections can be bound to; null means all of the person, or of the organization for the client itself.',
  }),
};

export const ClientDraft = z
  .object({
    ...fields,
    type: z.enum(clientTypes),
    redirect_uris: fields.redirect_uris.default([]),
    require_pkce: fields.require_pkce.default(true),
    team_ids: fields.team_ids.default(null),
  })
  .meta({ id: 'OAuthClientDraft' });
export type ClientDraft = z.infer<typeof ClientDraft>;

/** Only the sent fields are changed. */
export const ClientEdit = z
  .object({ ...fields, disabled: z.boolean() })
  .partial()
  .meta({ id: 'OAuthClientEdit' });
export type ClientEdit = z.infer<typeof ClientEdit>;

const timestamp = z.iso.datetime();

const ClientSecret = z
  .object({
    id: z.guid(),
    /** `cs_` and the first four characters. */
    prefix: z.string(),
    created_at: timestamp,
    last_used_at: timestamp.nullable(),
  })
  .meta({ id: 'OAuthClientSecret' });
export type ClientSecret = z.infer<typeof ClientSecret>;

export const ClientRecord = z
  .object({
    /** The `client_id`. */
    id: z.guid(),
    name: z.string(),
    type: z.enum(clientTypes),
    grant_types: z.array(z.enum(grantTypes)),
    redirect_uris: z.array(z.string()),
    allowed_scopes: z.array(z.string()),
    /** Whether authorization requires PKCE. */
    require_pkce: z.boolean(),
    /** Whether its connections are active in all teams, including later ones. */
    follows_memberships: z.boolean(),
    /** The teams that it is bound to. */
    teams: References,
    /** The default agent of its machine connection, on which it is assigned. */
    default_agent: DefaultAgent,
    secrets: z.array(ClientSecret),
    /** Number of its live connections. */
    connections: z.int(),
    disabled: z.boolean(),
    /** Null once the account is deleted. */
    created_by: z.object({ account_id: z.guid(), email: z.string().nullable() }).nullable(),
    created_at: timestamp,
  })
  .meta({ id: 'OAuthClient' });
export type ClientRecord = z.infer<typeof ClientRecord>;

/** The secret is in no other response; null for a public client. */
export const CreatedClient = ClientRecord.extend({
  client_secret: z
    .string()
    .nullable()
    .optional()
    .describe(`Null for a public client. ${SHOWN_ONCE}`),
}).meta({
  id: 'CreatedOAuthClient',
});
export type CreatedClient = ClientRecord & { client_secret: string | null };

/** The only response with this secret. */
export const CreatedSecret = ClientSecret.extend({
  client_secret: z.string().optional().describe(SHOWN_ONCE),
}).meta({
  id: 'CreatedOAuthClientSecret',
});
export type CreatedSecret = z.infer<typeof ClientSecret> & { client_secret: string };

const client_id = ItemId.describe('Id of the OAuth client.');
const secret_id = ItemId.describe('Id of the client secret.');
export const ClientParams = z.object({ client_id });
export const ClientSecretParams = z.object({ client_id, secret_id });
export const OrganizationClientParams = z.object({ organization_id: OrganizationId, client_id });
export const OrganizationClientSecretParams = OrganizationClientParams.extend({ secret_id });

/** What to register for the known MCP clients, in display order. */
export const ClientPresets = wholeList(
  z.object({
    id: z.string(),
    title: z.string(),
    type: z
      .enum(['public', 'either'])
      .describe('`either`: it also accepts the secret of a confidential client.'),
    redirect_uris: z
      .array(z.string())
      .describe('Empty: the client shows its own address when it is set up.'),
    steps: z.array(z.string()).describe('What to do in the client, as Markdown.'),
  }),
).meta({ id: 'OAuthClientPresets' });
