import type { Meaning } from './meaning.ts';

/** Errors of SCIM requests; `scim` is the `scimType` of RFC 7644, section 3.12. */
export const scimCodes = {
  already_provisioned: {
    text: 'A directory may create each user and group once: find the existing one, and update it.',
    scim: 'uniqueness',
  },
  domain_not_verified: {
    text: 'The address must be in a domain that the organization has verified: verify it first.',
    scim: 'invalidValue',
  },
  fixed_attribute: {
    text: 'The attribute must be present and cannot be removed: replace it instead.',
    scim: 'mutability',
  },
  invalid_filter: {
    text: 'The filter must have the syntax of RFC 7644 and name supported attributes: correct it.',
    scim: 'invalidFilter',
  },
  invalid_path: {
    text: 'The path of an operation must have the syntax of RFC 7644: correct it.',
    scim: 'invalidPath',
  },
  invalid_value: {
    text: 'The value must fit the attribute: correct what the message describes.',
    scim: 'invalidValue',
  },
  no_target: {
    text: 'A `remove` operation must have a path: add it.',
    scim: 'noTarget',
  },
  owner_address: {
    text: 'A directory must leave the address of the Owner as it is: transfer the ownership first.',
    scim: 'mutability',
  },
} as const satisfies Record<string, Meaning>;
