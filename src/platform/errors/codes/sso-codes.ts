import type { Meaning } from './meaning.ts';

/** Errors of single sign-on. */
export const ssoCodes = {
  domain_exists: { text: 'The organization has the domain already: nothing needs to be added.' },
  domain_taken: {
    text: 'Only one organization can verify a domain, and another one has: ask its administrators.',
  },
  invalid_domain: {
    text: 'The domain must be that of an e-mail address: send one such as `example.com`.',
  },
  last_connection: {
    text: 'While single sign-on is enforced, a connection must remain: stop enforcing it first.',
  },
  managed_by_organization: {
    text: 'The account belongs to an organization, which alone may do this: ask its administrators.',
  },
  own_sign_in_required: {
    text: 'An organization can sign in to the account: sign in with a passkey or third party from before, or leave the organization first.',
  },
  plan_required: {
    text: 'This needs a higher plan, which the message names: upgrade the organization first.',
  },
  saml_provider_invalid: {
    text: 'The description of the identity provider must be complete and its certificates strong: correct what the message names.',
  },
  sso_not_tested: {
    text: 'Before single sign-on is enforced, a domain must be verified and the caller must have tested a connection within the last hour.',
  },
  txt_not_found: {
    text: 'The TXT record must be published: create it with the name and value in `detail`, and try again.',
  },
} as const satisfies Record<string, Meaning>;
