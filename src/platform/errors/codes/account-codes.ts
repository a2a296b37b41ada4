import type { Meaning } from './meaning.ts';

/** Errors of accounts, organizations and keys. */
export const accountCodes = {
  agent_unavailable: {
    text: 'The default agent must be one that the key can access: choose another, or change the policy.',
  },
  already_invited: {
    text: 'The address has an open invitation to this organization: resend or revoke that one.',
  },
  already_member: { text: 'The person is already a member: nothing needs to be done.' },
  authentication_error: {
    text: 'The e-mail address, password, code or passkey must be correct: try again, or start the sign-in again.',
  },
  capability_escalation: {
    text: 'You can grant only capabilities that you have in the organization: leave out the named one.',
  },
  captcha_failed: {
    text: 'The CAPTCHA token must be valid and unused: solve a new CAPTCHA and send its token.',
  },
  captcha_unavailable: {
    text: 'The CAPTCHA provider is unavailable, and nothing was saved: try again shortly.',
  },
  code_invalid: { text: 'The code must be the one that the app shows now: enter the next one.' },
  confirmation_mismatch: {
    text: 'The confirmation must be the exact name of what is deleted: type it again.',
  },
  duplicate_grant: { text: 'A context may have only one grant: merge the two.' },
  email_unavailable: {
    text: 'The mail server is unavailable, and nothing was saved: try again shortly.',
  },
  empty_list: {
    text: 'A list of a policy must not be empty: add entries, or choose another mode.',
  },
  expires_at_past: { text: 'The expiry must be in the future: choose a later time.' },
  grant_not_applicable: {
    text: 'A key of an organization must be granted only this organization: leave the grant out.',
  },
  invalid_email: { text: 'The address must be a valid e-mail address: correct it.' },
  invalid_locale: {
    text: 'The locale must be a two-letter language code, with or without a region: send one such as `en` or `de-CH`.',
  },
  invalid_name: {
    text: 'A name must be short and must not contain control characters: correct it.',
  },
  invitation_ended: {
    text: 'The invitation was already accepted, revoked or replaced: create a new one.',
  },
  invitation_for_another_address: {
    text: 'The invitation was sent to another address: sign in or register with that one.',
  },
  last_owner: {
    text: 'An organization must keep an Owner: transfer the ownership to another member first.',
    scim: 'mutability',
  },
  last_way_in: {
    text: 'An account must keep a way to sign in: set a password or add another way first.',
  },
  no_second_factor: {
    text: 'Recovery codes require a second factor: add an authenticator app or a passkey first.',
  },
  not_a_member: {
    text: 'The person must be another member of the organization: check the id.',
  },
  owner_by_transfer: {
    text: 'The Owner role cannot be assigned: transfer the ownership instead.',
  },
  passkey_invalid: {
    text: 'The authenticator’s response must fit the options: request new ones and start again.',
  },
  permission_not_grantable: {
    text: 'Keys cannot be granted this permission: leave it out.',
  },
  permission_not_held: {
    text: 'You can grant only permissions that you have in the organization or team: leave out the named one.',
  },
  policy_not_applicable: {
    text: 'A key in an organization must have no item policies, because its teams’ policies apply: leave them out.',
  },
  reauthentication_required: {
    text: 'This requires a recent proof of identity: send the current password, or sign in again if there is none.',
  },
  review_closed: { text: 'The review must be open: take another one.' },
  role_in_use: {
    text: 'Members, open invitations or single sign-on still have the role: name another one in `replace_with`.',
  },
  role_of_organization: {
    text: 'The role is shared by all teams of the organization: change it in `team-roles`.',
  },
  system_role: { text: 'System roles cannot be changed: create a role of your own.' },
  token_invalid: {
    text: 'The link must be unused and not expired: request a new one.',
  },
  totp_on: { text: 'An authenticator app is already set up: remove it first.' },
  unknown_key: { text: 'The key must be one that you may view: list your keys.' },
  unknown_permission: {
    text: 'The permission must exist in this context: see docs/permissions.md.',
  },
  unknown_provider: {
    text: 'The provider must be configured: choose one from `GET /api/auth/providers`.',
  },
  unknown_team: {
    text: 'The team must be one that you can use in the organization: list its teams.',
  },
  unknown_role: { text: 'The role must exist in the organization: list its roles.' },
  unsupported_locale: {
    text: 'The locale must be one of the supported languages: choose one listed in the message.',
  },
  weak_password: {
    text: 'A password must have 12 to 128 characters and be hard to guess: use several unrelated words.',
  },
} as const satisfies Record<string, Meaning>;
