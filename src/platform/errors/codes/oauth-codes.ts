import type { Meaning } from './meaning.ts';

/** Errors of OAuth clients and of what they are authorized for. */
export const oauthCodes = {
  already_decided: {
    text: 'An authorization request is decided once: start the authorization again.',
  },
  grant_type_not_allowed: {
    text: 'The client must be of a kind that can use the grant type: leave it out, or register another client.',
  },
  pkce_required: {
    text: 'A public client must use PKCE, since it has no secret: leave `require_pkce` out, or register a confidential client.',
  },
  redirect_uri_not_allowed: {
    text: 'A redirect URI must be exact, and use https, http on a loopback host, or a private-use scheme of its app: correct it.',
  },
  redirect_uri_required: {
    text: 'A client that people authorize must have a redirect URI: add the one that it uses.',
  },
  secret_not_applicable: {
    text: 'Only a confidential client has secrets: register one, or use this one without a secret.',
  },
  unknown_scope: {
    text: 'Each scope must exist for this kind of client: remove the entry, or correct it.',
  },
} as const satisfies Record<string, Meaning>;
