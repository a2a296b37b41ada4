import { wholeList } from '../../platform/http/pages.ts';
import { z } from 'zod';
import { ConnectionId, CurrentPassword, MemberId } from '../../caller/schema.ts';
import { OrganizationParams } from '../../organizations/schema.ts';
import { visibleName } from '../../platform/text/visible-name.ts';
import { PROVIDER_LIMITS } from '../saml/schema.ts';

const NAME_CHARACTERS = 100;
const MAX_ROLES = 20;
const MAX_TEAMS = 20;
const MAX_CLIENT_ID = 1_000;
const MAX_SECRET = 1_000;

const httpUrl = z
  .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
  .max(PROVIDER_LIMITS.url)
  .refine((text) => URL.parse(text)?.username === '' && URL.parse(text)?.password === '', {
    error: 'must not contain a user name or password',
  });

/**
 * The provider's OpenID Connect settings as they are stored. What was saved must stay readable, so
 * that only drafts have limits.
 */
const OidcSettings = z
  .object({
    issuer: z.string().describe('As in the provider’s discovery document.'),
    client_id: z.string(),
  })
  .meta({ id: 'OidcSettings' });

/** The provider's SAML settings as they are stored. */
const SamlSettings = z
  .object({
    entity_id: z.string().describe('Entity id of the identity provider.'),
    sign_in_url: z.string().describe('Where AuthnRequests are sent, by redirect.'),
    certificates: z.array(z.string()).describe('PEM; a response may be signed with any of them.'),
  })
  .meta({ id: 'SamlSettings' });
export type SamlSettings = z.infer<typeof SamlSettings>;

/** The part of a connection that is stored as JSON. */
export const ConnectionConfiguration = z.discriminatedUnion('protocol', [
  z.object({ protocol: z.literal('oidc'), ...OidcSettings.shape }),
  z.object({
    protocol: z.literal('saml'),
    ...SamlSettings.shape,
    response_signed: z.boolean(),
  }),
]);
export type ConnectionConfiguration = z.infer<typeof ConnectionConfiguration>;

const attributeName = z.string().min(1).max(255);

/** Names of the claims or SAML attributes to read; null for the usual ones. */
export const ConnectionAttributes = z.object({
  email: attributeName.nullable(),
  first_name: attributeName.nullable(),
  last_name: attributeName.nullable(),
});
export type ConnectionAttributes = z.infer<typeof ConnectionAttributes>;

const OidcDraft = z
  .object({
    issuer: httpUrl.describe(OidcSettings.shape.issuer.description!),
    client_id: OidcSettings.shape.client_id.min(1).max(MAX_CLIENT_ID),
    client_secret: z.string().min(1).max(MAX_SECRET).describe('Written only.'),
  })
  .meta({ id: 'OidcConnectionDraft' });

const SamlDraft = z
  .object({
    metadata: z
      .string()
      .max(PROVIDER_LIMITS.metadata)
      .describe('The provider’s metadata document, XML.'),
    entity_id: SamlSettings.shape.entity_id.min(1).max(PROVIDER_LIMITS.entity_id),
    sign_in_url: httpUrl.describe(SamlSettings.shape.sign_in_url.description!),
    certificates: z
      .array(z.string().min(1).max(PROVIDER_LIMITS.certificate))
      .min(1)
      .max(PROVIDER_LIMITS.certificates)
      .describe(SamlSettings.shape.certificates.description!),
    response_signed: z
      .boolean()
      .describe('False for a provider that signs only the assertion, not the response.'),
  })
  .partial()
  .refine(
    ({ metadata, entity_id, sign_in_url, certificates }) =>
      metadata === undefined
        ? entity_id !== undefined && sign_in_url !== undefined && certificates !== undefined
        : entity_id === undefined && sign_in_url === undefined && certificates === undefined,
    { error: 'must have either metadata, or entity_id, sign_in_url and certificates' },
  )
  .meta({ id: 'SamlConnectionDraft' });
export type SamlDraft = z.infer<typeof SamlDraft>;

const TeamSeat = z
  .object({
    team_id: z.guid().toLowerCase(),
    role_ids: z.array(z.guid().toLowerCase()).max(MAX_ROLES).default([]),
  })
  .meta({ id: 'TeamSeat' });

/** What people get who join through the connection. */
const joining = {
  role_ids: z.array(z.guid().toLowerCase()).min(1).max(MAX_ROLES),
  teams: z
    .array(TeamSeat)
    .max(MAX_TEAMS)
    .refine((teams) => new Set(teams.map(({ team_id }) => team_id)).size === teams.length, {
      error: 'must name each team at most once',
    }),
};

const name = visibleName(NAME_CHARACTERS);

const common = {
  name,
  attributes: ConnectionAttributes.partial().default({}),
  role_ids: joining.role_ids.optional().describe('Roles of people who join; Member by default.'),
  teams: joining.teams.default([]).describe('Seats of people who join.'),
  current_password: CurrentPassword,
};

export const ConnectionDraft = z
  .discriminatedUnion('protocol', [
    z.object({
      protocol: z.literal('oidc'),
      ...common,
      oidc: OidcDraft,
    }),
    z.object({ protocol: z.literal('saml'), ...common, saml: SamlDraft }),
  ])
  .meta({ id: 'SsoConnectionDraft' });
export type ConnectionDraft = z.infer<typeof ConnectionDraft>;

/** Omitted fields stay; `saml` is replaced as a whole. */
export const ConnectionEdit = z
  .object({
    name,
    oidc: OidcDraft.partial(),
    saml: SamlDraft,
    attributes: ConnectionAttributes.partial(),
    ...joining,
    current_password: CurrentPassword,
  })
  .partial()
  .meta({ id: 'SsoConnectionEdit' });
export type ConnectionEdit = z.infer<typeof ConnectionEdit>;

export const ConnectionParams = OrganizationParams.extend({
  connection_id: ConnectionId,
});
export type ConnectionParams = z.infer<typeof ConnectionParams>;

/** An account that is linked through a connection. */
export const LinkParams = ConnectionParams.extend({ account_id: MemberId });
export type LinkParams = z.infer<typeof LinkParams>;

export const ConnectionRecord = z
  .object({
    id: z.guid(),
    name: z.string(),
    protocol: z.enum(['oidc', 'saml']),
    oidc: OidcSettings.nullable(),
    saml: SamlSettings.extend({ response_signed: z.boolean() }).nullable(),
    attributes: ConnectionAttributes,
    role_ids: z.array(z.guid()),
    teams: z.array(z.object({ team_id: z.guid(), role_ids: z.array(z.guid()) })),
    service_provider: z
      .object({
        entity_id: z.string(),
        acs_url: z.string(),
        callback_url: z.string(),
        metadata_url: z.string(),
      })
      .describe('What to register at the identity provider.'),
    created_at: z.iso.datetime(),
  })
  .meta({ id: 'SsoConnection' });
export type ConnectionRecord = z.infer<typeof ConnectionRecord>;

export const ConnectionList = wholeList(ConnectionRecord).meta({ id: 'SsoConnectionList' });

export const TestDraft = z
  .object({
    return_path: z.string().max(2_048).optional().describe('Path on the dashboard to return to.'),
  })
  .meta({ id: 'SsoTestDraft' });
export type TestDraft = z.infer<typeof TestDraft>;
export const TestLink = z
  .object({
    url: z.string().describe('Where to send the browser to sign in at the identity provider.'),
  })
  .meta({ id: 'SsoTestLink' });
