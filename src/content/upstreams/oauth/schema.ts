import { z } from 'zod';

const MAX_SCOPES = 50;

/** The account at an upstream that calls use: one of the space, or that of the caller's person. */
const ConnectionKind = z.enum(['shared', 'each_person']);
export type ConnectionKind = z.infer<typeof ConnectionKind>;

// A scope token of RFC 6749.
const Scope = z.string().regex(/^[\x21\x23-\x5b\x5d-\x7e]{1,200}$/, {
  message: 'must be 1 to 200 printable ASCII characters without spaces, quotes and backslashes',
});
const Scopes = z.array(Scope).max(MAX_SCOPES);
const Printable = z.string().regex(/^[\x20-\x7e]{1,2048}$/, {
  message: 'must be 1 to 2048 printable ASCII characters',
});

const GivenClientId = Printable.meta({
  id: 'UpstreamClientId',
  description: 'Client registered at the authorization server; by default the gateway finds one.',
});

/** How the gateway is authorized at an upstream with OAuth. */
export const OAuthDraft = z
  .object({
    connection: ConnectionKind.default('shared'),
    scopes: Scopes.default([]).describe('Scopes to request; by default those the server names.'),
    client_id: GivenClientId.optional(),
    client_secret: Printable.optional().describe('Never returned.'),
  })
  .meta({ id: 'UpstreamOAuthDraft' });
export type OAuthDraft = z.infer<typeof OAuthDraft>;

/** Omitted fields stay unchanged. */
export const OAuthEdit = z
  .object({
    connection: ConnectionKind.optional(),
    scopes: Scopes.optional(),
    client_id: GivenClientId.nullable().optional(),
    client_secret: Printable.nullable().optional().describe('Another client loses the old one.'),
  })
  .meta({ id: 'UpstreamOAuthEdit' });
export type OAuthEdit = z.infer<typeof OAuthEdit>;

export const OAuthRecord = z
  .object({
    connection: ConnectionKind,
    scopes: z.array(z.string()),
    client_id: z.string().nullable().describe('Null if the gateway finds or registers one.'),
    has_client_secret: z.boolean(),
    issuer: z.string().nullable().describe('The approved authorization server.'),
  })
  .meta({ id: 'UpstreamOAuth' });
export type OAuthRecord = z.infer<typeof OAuthRecord>;

/** The connection of the caller, or of the space, to an upstream. */
export const ConnectionRecord = z
  .object({
    upstream: z.object({ id: z.guid(), name: z.string(), url: z.string() }),
    connection: ConnectionKind,
    state: z.enum(['not_connected', 'connected', 'ended']),
    account: z.string().nullable().describe('Name of the account at the upstream, if known.'),
    scopes: z.array(z.string()),
    connected_by: z.guid().nullable().describe('Id of the account of the person who connected.'),
    connected_by_email: z.string().nullable(),
    connected_at: z.iso.datetime().nullable(),
    refreshed_at: z.iso.datetime().nullable(),
    issuer: z.string().nullable(),
    may_connect: z.boolean().describe('Whether the caller may connect and disconnect.'),
  })
  .meta({ id: 'UpstreamConnection' });
export type ConnectionRecord = z.infer<typeof ConnectionRecord>;

export const AuthorizationStart = z
  .object({ authorization_url: z.string().describe('Open it in the browser of this session.') })
  .meta({ id: 'UpstreamAuthorizationStart' });

const text = (max: number) => z.string().min(1).max(max);

/** The parameters with which the authorization server redirected the browser. */
export const AuthorizationResponse = z
  .object({
    state: text(512),
    code: text(4_096).optional(),
    iss: text(2_048).optional(),
    error: text(256).optional(),
  })
  .meta({ id: 'UpstreamAuthorizationResponse' });
export type AuthorizationResponse = z.infer<typeof AuthorizationResponse>;

export const IssuerApproval = z
  .object({ issuer: text(2_048).describe('As `detail.issuer` of `issuer_changed` says.') })
  .meta({ id: 'UpstreamIssuerApproval' });

// This is a browser navigation: invalid parameters are dropped, not answered with a JSON error.
const parameter = (max: number) => z.string().max(max).optional().catch(undefined);

/** Parameters of the redirect, passed on to the dashboard. */
export const RedirectParameters = z.object({
  state: parameter(512).describe('State of the authorization.'),
  code: parameter(4_096).describe('Authorization code.').meta({ parameter: 'provider_code' }),
  iss: parameter(2_048).describe('Issuer of the response (RFC 9207), if it is sent.'),
  error: parameter(256)
    .describe('Error code, instead of `code`.')
    .meta({ parameter: 'provider_error' }),
});
export type RedirectParameters = z.infer<typeof RedirectParameters>;

/** The metadata document of the gateway as a client, whose id is its address. */
export const ClientDocument = z
  .object({
    client_id: z.string(),
    client_name: z.string(),
    client_uri: z.string(),
    redirect_uris: z.array(z.string()),
    grant_types: z.array(z.string()),
    response_types: z.array(z.string()),
    token_endpoint_auth_method: z.string(),
  })
  .meta({ id: 'UpstreamClientDocument' });
