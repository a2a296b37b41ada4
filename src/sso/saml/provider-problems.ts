import { unprocessable } from '../../platform/errors/refusal.ts';
import type { Refusal } from '../../platform/errors/refusal.ts';

/** What is wrong with the description of an identity provider, and what to do. */
const PROBLEMS = {
  metadata_invalid: [
    'metadata',
    'The metadata must be the XML document of one SAML 2.0 identity provider, without a DTD: download it again.',
  ],
  metadata_several_providers: [
    'metadata',
    'The metadata must describe one identity provider: keep the element EntityDescriptor of yours.',
  ],
  entity_id_invalid: [
    'entity_id',
    'The entity ID must have 1 to 1024 characters and no spaces: copy it from the identity provider.',
  ],
  sign_in_url_missing: [
    'metadata',
    'The identity provider must offer sign-in with the HTTP-Redirect binding: switch it on there.',
  ],
  sign_in_url_invalid: [
    'sign_in_url',
    'The sign-in URL must be an https URL without user name and fragment: copy it from the identity provider.',
  ],
  certificate_missing: [
    'certificates',
    'There must be a certificate that the identity provider signs with: add it.',
  ],
  certificates_too_many: [
    'certificates',
    'There may be five certificates: remove those that the identity provider no longer signs with.',
  ],
  certificate_too_long: [
    'certificates',
    'Each certificate must have at most 16384 characters: choose a smaller one at the identity provider.',
  ],
  certificate_invalid: [
    'certificates',
    'Each certificate must be an X.509 certificate in PEM or base64: copy it again.',
  ],
  certificate_not_rsa: [
    'certificates',
    'Each certificate must have an RSA key: choose RSA with SHA-256 at the identity provider.',
  ],
  certificate_weak: [
    'certificates',
    'Each RSA key must have 2048 bits or more: create a new one at the identity provider.',
  ],
} as const;
export type ProviderProblem = keyof typeof PROBLEMS;

export function providerInvalid(problem: ProviderProblem): Refusal {
  const [field, message] = PROBLEMS[problem];
  return unprocessable('saml_provider_invalid', message, {
    detail: { pointer: `/saml/${field}`, problem },
  });
}
