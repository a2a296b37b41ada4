import type { Meaning } from './meaning.ts';

/** Errors of accounts, organizations and keys. */
export const accountCodes = {
  agent_unavailable: {
    text: 'The default agent must be one that the key can access: choose another, or change the policy.',
  },
  already_invited: {
    text: 'The address has an open invitation to this organization: resend or revoke that one.',
  },
  already_member: { text: 'The person is a member already: nothing needs to be done.' },
  authentication_error: {
    text: 'The e-mail address, password, code or passkey must be right: try again, or start the sign-in again.',
  },
  capability_escalation: {
    text: 'You can give only capabilities that you have in the organization: leave the named one out.',
  },
  captcha_failed: {
    text: 'The CAPTCHA token must be valid and unused: solve a new CAPTCHA and send its token.',
  },
  captcha_unavailable: {
    text: 'The CAPTCHA provider must respond: nothing was saved; try again shortly.',
  },
  code_invalid: { text: 'The code must be the current one of the app: enter the next one.' },
  confirmation_mismatch: {
    text: 'The confirmation must repeat the name that is deleted: type it exactly.',
  },
  duplicate_grant: { text: 'A context may have only one grant: merge the two.' },
  email_unavailable: {
    text: 'The mail server must be available: nothing was saved; try again shortly.',
  },
  empty_list: {
    text: 'A list of a policy must not be empty: add entries, or choose another mode.',
  },
  expires_at_past: { text: 'The expiry must be in the future: choose a later time.' },
  invalid_email: { text: 'The address must be a valid e-mail address: correct it.' },
  invalid_locale: { text: 'The locale must be a two-letter language code: send one such as `en`.' },
  invalid_name: {
    text: 'A name must be short and must not contain control characters: correct it.',
  },
  invitation_ended: {
    text: 'The invitation must be open, but it was accepted, revoked or replaced: create a new one.',
  },
  invitation_for_another_address: {
    text: 'The invitation must be to your address: sign in or register with the invited one.',
  },
  last_owner: {
    text: 'An organization must keep an Owner: transfer the ownership to another member first.',
  },
  last_way_in: {
    text: 'An account must keep a way to sign in: set a password or add another one first.',
  },
  no_second_factor: {
    text: 'Recovery codes require a second factor: add an authenticator app or a passkey first.',
  },
  not_a_member: {
    text: 'The person must be another member of the organization: check the id.',
  },
  owner_by_transfer: {
    text: 'The Owner’s role cannot be assigned: transfer the ownership instead.',
  },
  passkey_invalid: {
    text: 'The authenticator’s response must fit the options: request new ones and start again.',
  },
  permission_not_grantable: {
    text: 'Keys cannot be granted this permission: leave it out.',
  },
  permission_not_held: {
    text: 'You can give only permissions that you have in the organization or team: leave the named one out.',
  },
  reauthentication_required: {
    text: 'This requires a recent proof of identity: send the current password, or sign in again if there is none.',
  },
  role_in_use: {
    text: 'No member may hold the role and no open invitation give it: name another with `replace_with`.',
  },
  role_of_organization: {
    text: 'The role belongs to the organization: change it in `team-roles`, for all its teams.',
  },
  system_role: { text: 'System roles cannot be changed: create a role of your own.' },
  token_invalid: {
    text: 'The link must be unused and not expired: request a new one.',
  },
  totp_on: { text: 'No authenticator app may be set up yet: remove it first.' },
  unknown_permission: {
    text: 'The permission must exist in this context: see docs/permissions.md.',
  },
  unknown_provider: {
    text: 'The provider must be configured: choose one from `GET /api/auth/providers`.',
  },
  unknown_role: { text: 'The role must exist in the organization: list its roles.' },
  unsupported_locale: {
    text: 'The locale must be one of the supported languages: choose one that the message names.',
  },
  weak_password: {
    text: 'A password must have 12 to 128 characters and be hard to guess: use several unrelated words.',
  },
} as const satisfies Record<string, Meaning>;
